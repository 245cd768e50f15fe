/** The selected item: its description, its form, and what a request for it results in. */
import { useEffect, useState } from 'preact/hooks'
import type { Params } from '../client/endpoint.ts'
import { playedClient } from '../client/played-client.ts'
import { type KeptRequest, type RunRequest, takeRequest } from '../client/run-request.ts'
import { DetailHead } from '../elements/detail-head.tsx'
import { JsonTree } from '../elements/json-tree.tsx'
import { Code, Paragraph, Text } from '../elements/text.tsx'
import { type Json, recordOf } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { navigate } from '../route.ts'
import { ViewPanel } from '../views/view-panel.tsx'
import { type Catalog, type Item, type ListName, viewOf } from './catalog.ts'
import { PromptForm, TemplateForm } from './completed-forms.tsx'
import type { RequestFormProps, Selected } from './request-form.ts'
import { type Runner, useRun } from './run.ts'
import { ResultContent, RunPanel } from './run-panel.tsx'

const close = () => navigate('try')

interface ItemPanelProps {
  readonly selected: Selected
  readonly catalog: Catalog
  /** Shows the form of a request, which may be that of this panel. */
  readonly onGoOn: (kept: KeptRequest) => void
  readonly showsViews: boolean
}

export function ItemPanel({
  selected: { list, item },
  catalog,
  onGoOn,
  showsViews,
}: ItemPanelProps) {
  const { endpoint } = catalog
  const runner = useRun()
  const [kept] = useState(() => takeRequest(endpoint))
  useEffect(() => {
    if (kept !== undefined && kept.asked === undefined) runner.start(kept.request)
  }, [])
  const { title, description, id } = item
  const view = list === 'tools' ? viewOf(item) : undefined
  return (
    <>
      <DetailHead
        onClose={close}
        title={
          <>
            <Code max={300}>{id}</Code>
            {title !== undefined && title !== id && <Text max={200}>{title}</Text>}
          </>
        }
      />
      {description !== undefined && <Paragraph class="question" max={8000} text={description} />}
      {list === 'tools' && <ToolHints definition={item.definition} hasView={view !== undefined} />}
      {kept?.asked !== undefined && <ResultContent result={kept.asked} />}
      <RequestForm
        list={list}
        item={item}
        endpoint={endpoint}
        runner={runner}
        entered={kept?.request.values}
      />
      {view !== undefined && (
        <ViewPanel uri={view} item={item} catalog={catalog} runner={runner} isShown={showsViews} />
      )}
      <RunPanel runner={runner} catalog={catalog} onGoOn={onGoOn} />
      <details class="raw">
        <summary>Definition</summary>
        <JsonTree value={item.definition} label="the definition" />
      </details>
    </>
  )
}

interface FormProps {
  readonly list: ListName
  readonly item: Item
  readonly endpoint: string
  readonly runner: Runner
  readonly entered: Params | undefined
}

function RequestForm({ list, item, endpoint, runner, entered }: FormProps) {
  const { isActive, start } = runner
  const onRequest = (request: Omit<RunRequest, 'endpoint'>) => start({ ...request, endpoint })
  const props: RequestFormProps = { item, endpoint, isActive, entered, onRequest }
  switch (list) {
    case 'tools':
      return <ToolForm {...props} />
    case 'prompts':
      return <PromptForm {...props} />
    case 'templates':
      return <TemplateForm {...props} />
    case 'resources':
      return (
        <div class="buttons">
          <button
            type="button"
            class="main"
            disabled={isActive}
            onClick={() => onRequest({ method: 'resources/read', params: { uri: item.id } })}
          >
            Read
          </button>
        </div>
      )
  }
}

function ToolForm({ item: { id, definition }, isActive, entered, onRequest }: RequestFormProps) {
  const schema = recordOf(definition.inputSchema) ?? { type: 'object' }
  return (
    <SchemaForm
      schema={schema}
      action="Call the tool"
      disabled={isActive}
      entered={entered as Json | undefined}
      onSubmit={(args) =>
        onRequest({
          method: 'tools/call',
          params: { name: id, arguments: args, ...(isCalledAsTask(definition) && { task: {} }) },
          inputSchema: schema,
          values: args as Params,
        })
      }
    />
  )
}

/** A client of 2025-11-25 with tasks makes one of each call of a tool that has them. */
function isCalledAsTask({ execution }: Params): boolean {
  const support = recordOf(execution)?.taskSupport
  return playedClient().tasks === 'params' && (support === 'optional' || support === 'required')
}

const HINTS = [
  ['readOnlyHint', 'reads only', ''],
  ['destructiveHint', 'may destroy', 'warn'],
  ['idempotentHint', 'may be repeated', ''],
  ['openWorldHint', 'reaches other systems', ''],
] as const

interface ToolHintsProps {
  readonly definition: Params
  readonly hasView: boolean
}

/** Whether the tool has a view, and its annotations, which are hints and no guarantees. */
function ToolHints({ definition, hasView }: ToolHintsProps) {
  const annotations = (definition.annotations ?? {}) as Params
  const hints = HINTS.filter(([name]) => annotations[name] === true)
  if (hints.length === 0 && !hasView) return null
  return (
    <ul class="hints" aria-label="Hints of the tool">
      {hasView && <li class="badge accent">has a view</li>}
      {hints.map(([name, text, kind]) => (
        <li key={name} class={`badge ${kind}`}>
          {text}
        </li>
      ))}
    </ul>
  )
}
