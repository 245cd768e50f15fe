/** The frame of the page: its server, its tabs, and the state of the live stream. */
import { useEffect } from 'preact/hooks'
import { Boundary } from './elements/boundary.tsx'
import { Failed, Notice } from './elements/notice.tsx'
import { Code, Text } from './elements/text.tsx'
import { hrefOf, route, TABS, type Tab } from './route.ts'
import { CONFIG_PATH, type ServerConfig } from './server-config.ts'
import { StateView } from './state/state-view.tsx'
import { useStore } from './store.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { StreamStatus } from './traffic/stream-status.tsx'
import { followTraffic } from './traffic/traffic-log.ts'
import { TrafficView } from './traffic/traffic-view.tsx'
import { TryView } from './try/try-view.tsx'
import { useReading } from './use-reading.ts'

const TITLES: Readonly<Record<Tab, string>> = {
  traffic: 'Traffic',
  timeline: 'Timeline',
  state: 'State',
  try: 'Try it',
}

interface AppProps {
  /** Why a sign-in failed. */
  readonly problem: string | undefined
}

export function App({ problem: signInProblem }: AppProps) {
  const { value: config, problem, refresh } = useReading<ServerConfig>(CONFIG_PATH)
  const { tab } = useStore(route)
  const isOpen = config !== undefined

  // Without a person who may use the inspector, there is no stream to read.
  useEffect(() => (isOpen ? followTraffic() : undefined), [isOpen])

  useEffect(() => {
    const server = config === undefined ? '' : ` – ${config.serverName}`
    document.title = `${TITLES[tab]} – Inspector${server}`
  }, [tab, config])

  return (
    <>
      <button
        type="button"
        class="skip"
        onClick={() => document.getElementById('content')?.focus()}
      >
        Skip to the content
      </button>
      <header class="bar">
        <h1>
          <span>Inspector</span>
          {config !== undefined && (
            <span class="server">
              <Text max={60}>{config.serverName}</Text> <Code max={30}>{config.version}</Code>
            </span>
          )}
        </h1>
        <nav aria-label="Views" class="tabs">
          {TABS.map((each) => (
            <a key={each} href={hrefOf(each)} aria-current={each === tab ? 'page' : undefined}>
              {TITLES[each]}
            </a>
          ))}
        </nav>
        {config !== undefined && <StreamStatus />}
      </header>
      {signInProblem !== undefined && (
        <div role="alert" class="alert">
          <Notice kind="bad" title="The sign-in failed">
            <p>
              <Text>{signInProblem}</Text>
            </p>
          </Notice>
        </div>
      )}
      <main id="content" tabIndex={-1}>
        {config !== undefined ? (
          <Boundary key={tab}>
            <Content config={config} />
          </Boundary>
        ) : (
          <div class="page">
            {problem === undefined ? (
              <p class="quiet">Loading…</p>
            ) : (
              <Failed problem={problem} retry={refresh} />
            )}
          </div>
        )}
      </main>
    </>
  )
}

function Content({ config }: { readonly config: ServerConfig }) {
  const { tab, rest } = useStore(route)
  switch (tab) {
    case 'traffic':
      return <TrafficView config={config} selected={rest[0]} />
    case 'try':
      return <TryView config={config} rest={rest} />
    case 'timeline':
      return <TimelineView />
    case 'state':
      return <StateView subject={config.subject} />
  }
}
