/** The tab that calls tools, reads resources and tries prompts. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Params } from '../client/endpoint.ts'
import { isModern, playClient, playedClient } from '../client/played-client.ts'
import { type KeptRequest, keepRequest } from '../client/run-request.ts'
import { forgetTokens, tokens } from '../client/tokens.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Empty, Failed } from '../elements/notice.tsx'
import { Paragraph } from '../elements/text.tsx'
import type { ServerConfig } from '../server-config.ts'
import { useStore } from '../store.ts'
import { trafficLog } from '../traffic/traffic-log.ts'
import { reloadDocument } from '../views/use-document.ts'
import { type Catalog, catalogState, LISTS, loadCatalog, reloadLists } from './catalog.ts'
import { followChanges } from './catalog-changes.ts'
import { ClientPicker } from './client-picker.tsx'
import { EndpointBar } from './endpoint-bar.tsx'
import { ItemList } from './item-list.tsx'
import { ItemPanel } from './item-panel.tsx'
import type { Selected } from './request-form.ts'
import { SignIn } from './sign-in.tsx'

interface TryViewProps {
  readonly config: ServerConfig
  /** The list and the id of the selected item. */
  readonly rest: readonly string[]
}

export function TryView({ config, rest }: TryViewProps) {
  const state = useStore(catalogState)
  const token = useStore(tokens)
  const [endpoint, setEndpoint] = useState(() => pathOf(config.endpoints[0] ?? '/mcp'))
  /** How often a call went on in the form that it was made with, which then begins anew. */
  const [round, setRound] = useState(0)

  useEffect(() => {
    if (catalogState.value.state !== 'ready') void loadCatalog(endpoint)
  }, [])

  const introduction = state.state === 'ready' ? state.catalog.introduction : undefined
  useEffect(() => {
    if (catalogState.value.state !== 'ready') return
    const { catalog } = catalogState.value
    const stop = new AbortController()
    void followChanges(catalog, stop.signal, (lists) => void reloadLists(catalog, lists))
    return () => stop.abort()
    // Once for each catalog: a list that is read again keeps the introduction.
  }, [introduction])

  // A server that was loaded again may have other lists and views.
  const { stream } = useStore(trafficLog)
  const lost = useRef(false)
  useEffect(() => {
    const state = catalogState.value
    if (lost.current && stream === 'live' && state.state === 'ready') {
      void reloadLists(state.catalog, LISTS)
      reloadDocument()
    }
    lost.current = stream === 'reconnecting'
  }, [stream])

  const signOut = () => {
    forgetTokens()
    void loadCatalog(endpoint)
  }
  const goOn = (kept: KeptRequest) => {
    keepRequest(kept)
    if (kept.hash === location.hash) setRound(round + 1)
    else location.hash = kept.hash
  }
  const selected = state.state === 'ready' ? itemOf(state.catalog, rest) : undefined
  return (
    <div class="split" data-detail={state.state === 'ready' ? selected !== undefined : 'both'}>
      <section class="pane list-pane" aria-labelledby="try-title">
        <h2 id="try-title" class="hidden">
          What the server offers
        </h2>
        <EndpointBar
          endpoints={config.endpoints.map(pathOf)}
          endpoint={endpoint}
          onEndpoint={(next) => {
            setEndpoint(next)
            void loadCatalog(next)
          }}
          signOut={token === undefined ? undefined : signOut}
        />
        <ClientPicker
          onClient={(name) => {
            playClient(name)
            void loadCatalog(endpoint)
          }}
        />
        {state.state === 'ready' && (
          <ItemList lists={state.catalog.lists} selected={rest.slice(0, 2)} />
        )}
      </section>
      <section class="pane detail-pane" aria-label="Selected item">
        <div class="scroll detail">
          {state.state === 'loading' && <p class="quiet">Loading what the server offers…</p>}
          {state.state === 'signed-out' && (
            <SignIn endpoint={endpoint} challenge={state.challenge} />
          )}
          {state.state === 'failed' && (
            <Failed problem={state.problem} retry={() => void loadCatalog(endpoint)} />
          )}
          {state.state === 'ready' &&
            (selected !== undefined ? (
              <ItemPanel
                key={`${round} ${rest.join('/')}`}
                selected={selected}
                catalog={state.catalog}
                onGoOn={goOn}
                showsViews={config.development}
              />
            ) : rest.length > 1 ? (
              <Empty title="The server does not list this">
                <Paragraph isCode text={rest[1] ?? ''} />
              </Empty>
            ) : (
              <Introduction introduction={state.catalog.introduction} />
            ))}
        </div>
      </section>
    </div>
  )
}

function itemOf({ lists }: Catalog, [name, id]: readonly string[]): Selected | undefined {
  const list = LISTS.find((known) => known === name)
  if (list === undefined || id === undefined) return undefined
  const item = lists[list].find((each) => each.id === id)
  if (item !== undefined) return { list, item }
  // A resource need not be listed to be read.
  if (list !== 'resources') return undefined
  return { list, item: { id, title: undefined, description: undefined, definition: { uri: id } } }
}

/** The page connects to its own origin alone, which may be written in another way. */
function pathOf(url: string): string {
  return URL.canParse(url) ? decodeURI(url.slice(new URL(url).origin.length)) : url
}

/** What `server/discover` or `initialize` says. */
function Introduction({ introduction }: { readonly introduction: Params }) {
  const { instructions } = introduction
  return (
    <>
      <h2 class="panel-title">{isModern(playedClient()) ? 'server/discover' : 'initialize'}</h2>
      <p class="quiet">Select a tool, a resource or a prompt to try it.</p>
      {typeof instructions === 'string' && (
        <>
          <h3>Instructions for the model</h3>
          <Paragraph class="question" max={20_000} text={instructions} />
        </>
      )}
      <h3>Result</h3>
      <div class="message">
        <JsonTree value={introduction} label="the result" />
      </div>
    </>
  )
}
