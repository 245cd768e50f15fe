/** The view of a tool: shown with a call of the tool, or with a saved result. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { HostedTool } from '../../../view/src/host/hosted-tool.ts'
import type { SavedResult } from '../../../view/src/host/saved-results.ts'
import type { ViewDocument } from '../../../view/src/host/view-document.ts'
import type { Params } from '../client/endpoint.ts'
import { Notice } from '../elements/notice.tsx'
import { Code, Paragraph } from '../elements/text.tsx'
import { useStore } from '../store.ts'
import { AskList } from '../try/ask-list.tsx'
import type { Catalog, Item } from '../try/catalog.ts'
import type { Runner } from '../try/run.ts'
import { ResultFiles } from './result-files.tsx'
import { SaidList } from './said-list.tsx'
import { ShownView, type ViewCall } from './shown-view.ts'
import { useDocument } from './use-document.ts'
import { ViewControls } from './view-controls.tsx'
import { MAX_HEIGHT, startOf, viewSettings } from './view-settings.ts'

interface ViewPanelProps {
  readonly uri: string
  readonly item: Item
  readonly catalog: Catalog
  readonly runner: Runner
  /** Views are shown in development alone. */
  readonly isShown: boolean
}

export function ViewPanel({ uri, item, catalog, runner, isShown }: ViewPanelProps) {
  const [saved, setSaved] = useState<SavedResult>()
  const live = useLiveCall(runner)
  useEffect(() => setSaved(undefined), [live])
  const call = useMemo(() => (saved === undefined ? live : callOf(saved)), [saved, live])
  const document = useDocument(uri, catalog.endpoint, isShown && call !== undefined)
  const shown = useShownView(item, catalog, document, call)
  const { run, request } = runner
  const done =
    run?.state === 'done' && request !== undefined
      ? { name: item.id, tool: item.id, arguments: argumentsOf(request), result: run.result }
      : undefined
  if (!isShown) return <p class="quiet">The inspector shows views in development alone.</p>
  return (
    <section class="view" aria-labelledby="view-title">
      <div class="view-head">
        <h3 id="view-title">
          View <Code max={200}>{uri}</Code>
        </h3>
        <ResultFiles uri={uri} tool={item.id} result={saved ?? done} onResult={setSaved} />
      </div>
      {call === undefined ? (
        <p class="quiet">Call the tool, or open saved results, to see its view.</p>
      ) : (
        <>
          <ViewControls />
          {typeof document === 'string' && (
            <Notice kind="bad" title="Hosts show nothing">
              <Paragraph text={document} />
            </Notice>
          )}
          {shown !== undefined && <Shown key={shown.id} shown={shown} />}
        </>
      )}
    </section>
  )
}

const argumentsOf = ({ params }: { readonly params: Params }) => (params.arguments ?? {}) as Params

function callOf({ arguments: args, result }: SavedResult): ViewCall {
  return { arguments: args, result: Promise.resolve(result) }
}

/** The call of the tool, whose result comes later. */
function useLiveCall({ run, request }: Runner): ViewCall | undefined {
  const live = useMemo(() => {
    if (request === undefined) return undefined
    const { promise, resolve } = Promise.withResolvers<Params | undefined>()
    return { call: { arguments: argumentsOf(request), result: promise }, resolve }
  }, [request])
  useEffect(() => {
    if (run?.state === 'done') live?.resolve(run.result)
    else if (run !== undefined && run.state !== 'running' && run.state !== 'asking') {
      live?.resolve(undefined)
    }
  }, [run, live])
  return live?.call
}

/** Replaces the view when its document, its call or the start of the host changes. The former one ends its work before. */
function useShownView(
  { definition }: Item,
  catalog: Catalog,
  document: ViewDocument | string | undefined,
  call: ViewCall | undefined,
): ShownView | undefined {
  const settings = useStore(viewSettings)
  const [shown, setShown] = useState<ShownView>()
  const present = useRef<ShownView>(null)
  useEffect(() => {
    let isCurrent = true
    const replace = async () => {
      await present.current?.end()
      if (!isCurrent) return
      const isReadable = typeof document === 'object' && call !== undefined
      const tool = definition as Params & HostedTool
      present.current = isReadable
        ? new ShownView({ document, tool, call, catalog, settings: viewSettings.value })
        : null
      setShown(present.current ?? undefined)
    }
    void replace()
    return () => {
      isCurrent = false
    }
  }, [document, call, startOf(settings)])
  useEffect(() => shown?.changeSettings(settings), [shown, settings])
  return shown
}

function Shown({ shown }: { readonly shown: ShownView }) {
  const { findings, said, height, asks } = useStore(shown.state)
  return (
    <div class="view-body">
      {shown.problem === undefined ? (
        <Frame shown={shown} height={height} />
      ) : (
        <Notice kind="bad" title="This host does not show the view">
          <Paragraph text={shown.problem} />
        </Notice>
      )}
      <div class="view-side">
        {asks !== undefined && (
          <AskList asks={asks.list} onAnswers={asks.answer} onRefuse={() => asks.answer({})} />
        )}
        {findings.length > 0 && (
          <div role="status">
            <Notice kind="warn" title="What hosts do not accept">
              <ul class="findings">
                {findings.map(({ message }) => (
                  <li key={message}>
                    <Paragraph text={`${message}.`} />
                  </li>
                ))}
              </ul>
            </Notice>
          </div>
        )}
        <SaidList said={said} />
      </div>
    </div>
  )
}

function Frame({
  shown,
  height,
}: {
  readonly shown: ShownView
  readonly height: number | undefined
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const { width, mode, theme } = useStore(viewSettings)
  useLayoutEffect(() => (frame.current === null ? undefined : shown.attach(frame.current)), [])
  const heights = { inline: Math.min(height ?? 160, MAX_HEIGHT), fullscreen: MAX_HEIGHT, pip: 320 }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide view scrolls, with the keyboard too
    <section class="view-stage" tabIndex={0} aria-label="Frame of the view">
      <iframe
        ref={frame}
        title="View"
        sandbox="allow-scripts allow-forms"
        allow={shown.allow}
        src={shown.src}
        // The scheme of the frame is what the media query of the view reads.
        style={{ width: `${width}px`, height: `${heights[mode]}px`, colorScheme: theme }}
      />
    </section>
  )
}
