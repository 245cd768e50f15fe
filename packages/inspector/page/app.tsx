/** The frame of the page: its server, its tabs, and the state of the live stream. */
import { Component, type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Notice, ReadingState } from './elements/notice.tsx'
import { Code, Text } from './elements/text.tsx'
import { EventsView } from './events/events-view.tsx'
import { hrefOf, route, TABS, type Tab } from './route.ts'
import { CONFIG_PATH, type ServerConfig } from './server-config.ts'
import { StateView } from './state/state-view.tsx'
import { useStore } from './store.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { followTraffic, trafficLog } from './traffic/traffic-log.ts'
import type { StreamState } from './traffic/traffic-stream.ts'
import { TrafficView } from './traffic/traffic-view.tsx'
import { SignInFailed } from './try/sign-in.tsx'
import { TryView } from './try/try-view.tsx'
import { useReading } from './use-reading.ts'

const TITLES: Readonly<Record<Tab, string>> = {
  traffic: 'Traffic',
  timeline: 'Timeline',
  events: 'Events',
  state: 'State',
  try: 'Try it',
}

interface AppProps {
  /** Why a sign-in failed. */
  readonly problem: string | undefined
}

export function App({ problem: signInProblem }: AppProps) {
  const reading = useReading<ServerConfig>(CONFIG_PATH)
  const config = reading.value
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
          {TABS.filter((each) => each !== 'events' || config?.events === true).map((each) => (
            <a key={each} href={hrefOf(each)} aria-current={each === tab ? 'page' : undefined}>
              {TITLES[each]}
            </a>
          ))}
        </nav>
        {config !== undefined && <StreamStatus />}
      </header>
      {signInProblem !== undefined && (
        <div class="alert">
          <SignInFailed problem={signInProblem} />
        </div>
      )}
      <main id="content" tabIndex={-1}>
        {config !== undefined ? (
          <Boundary key={tab}>
            <Content config={config} />
          </Boundary>
        ) : (
          <div class="page">
            <ReadingState {...reading} />
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
    case 'events':
      return <EventsView config={config} />
    case 'state':
      return <StateView subject={config.subject} />
  }
}

interface BoundaryProps {
  readonly children: ComponentChildren
}

/** Shows a message in the place of a part of the page that cannot be rendered. */
class Boundary extends Component<BoundaryProps, { readonly problem: string | undefined }> {
  override state = { problem: undefined }

  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override render({ children }: BoundaryProps) {
    const { problem } = this.state
    if (problem === undefined) return children
    return (
      <div class="page" role="alert">
        <Notice kind="bad" title="This cannot be shown">
          <p>{problem}</p>
          <p>Reload the page. What the server sent has an unexpected form.</p>
        </Notice>
      </div>
    )
  }
}

const TEXTS: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  'signed-out': 'Signed out.',
  'no-owner': 'This server is no longer shown to you.',
}

/** The state of the live stream. Announced when it changes. */
function StreamStatus() {
  const { stream, held } = useStore(trafficLog)
  const isPaused = held !== undefined && stream === 'live'
  return (
    <p class={`stream ${isPaused ? 'paused' : stream}`} role="status">
      {isPaused ? 'Paused' : TEXTS[stream]}
      {stream === 'signed-out' && <a href="/inspect">Sign in</a>}
    </p>
  )
}
