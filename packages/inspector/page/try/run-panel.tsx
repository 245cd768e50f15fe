/** A run as it happens: progress, log messages, questions, and the result. */
import type { Params } from '../client/endpoint.ts'
import type { KeptRequest, RunRequest } from '../client/run-request.ts'
import { durationOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Notice } from '../elements/notice.tsx'
import { SmallButton } from '../elements/small-button.tsx'
import { Paragraph } from '../elements/text.tsx'
import { membersOf } from '../traffic/exchange.ts'
import { AskList } from './ask-list.tsx'
import type { Catalog } from './catalog.ts'
import { ContentBlock } from './content-block.tsx'
import { HeldCard, handleOf } from './held-card.tsx'
import { Notifications } from './notifications.tsx'
import type { Runner } from './run.ts'
import type { Run } from './run-report.ts'
import { SignIn } from './sign-in.tsx'
import { TaskCard } from './task-card.tsx'

interface RunPanelProps {
  readonly runner: Runner
  readonly catalog: Catalog
  /** Goes on with a call by another tool. */
  readonly onGoOn: (kept: KeptRequest) => void
}

export function RunPanel({ runner, ...rest }: RunPanelProps) {
  const { run, request, isActive, cancel } = runner
  return (
    <section class="run" aria-label="Result">
      <div class="run-head">
        <p role="status">{run === undefined ? '' : statusOf(run)}</p>
        {isActive && (
          <SmallButton onClick={cancel}>
            {run?.task === undefined ? 'Cancel the call' : 'Cancel the task'}
          </SmallButton>
        )}
      </div>
      {run !== undefined && (
        <>
          <Notifications notifications={run.notifications} />
          {run.task !== undefined && <TaskCard task={run.task} />}
          <Outcome run={run} request={request} cancel={cancel} {...rest} />
        </>
      )}
    </section>
  )
}

interface OutcomeProps extends Omit<RunPanelProps, 'runner'> {
  readonly run: Run
  readonly request: RunRequest | undefined
  readonly cancel: () => void
}

function Outcome({ run, request, catalog, onGoOn, cancel }: OutcomeProps) {
  switch (run.state) {
    case 'asking':
      return (
        <AskList key={keyOf(run.asks)} asks={run.asks} onAnswers={run.answer} onRefuse={cancel} />
      )
    case 'done':
      return <ResultView result={run.result} catalog={catalog} onGoOn={onGoOn} />
    case 'signed-out':
      return <SignIn endpoint={catalog.endpoint} challenge={run.challenge} request={request} />
    case 'failed':
      return (
        <Notice kind="bad" title={run.task?.error ? 'The task failed' : 'The request failed'}>
          <Paragraph text={run.problem} />
          {run.data !== undefined && <JsonTree value={run.data} label="the data of the error" />}
        </Notice>
      )
    default:
      return null
  }
}

/** The forms of another round begin empty. */
function keyOf(asks: Extract<Run, { state: 'asking' }>['asks']): string {
  return asks.map(({ key }) => key).join(' ')
}

function statusOf(run: Run): string {
  switch (run.state) {
    case 'running':
      return run.task === undefined ? 'Running…' : 'Running as a task…'
    case 'asking':
      return run.asks.length === 1 ? 'The server asks' : `The server asks ${run.asks.length} things`
    case 'done':
      return `${endOf(run.result)} ${durationOf(run.durationMs)}`
    case 'signed-out':
      return 'Sign in to continue'
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
  }
}

function endOf(result: Params): string {
  if (handleOf(result) !== undefined) return 'Answered with a handle after'
  return result.isError === true ? 'The tool reported an error after' : 'Done in'
}

interface ResultProps extends Omit<RunPanelProps, 'runner'> {
  readonly result: Params
}

/** The result of a call, a read or a prompt. */
function ResultView({ result, ...rest }: ResultProps) {
  const { messages, structuredContent, isError } = result
  const handle = handleOf(result)
  return (
    <div class="result">
      {handle !== undefined && <HeldCard handle={handle} result={result} {...rest} />}
      {isError === true && <Notice kind="bad" title="isError: the tool reported an error" />}
      <ResultContent result={result} />
      {listOf(messages).map(({ role, content: block }, index) => (
        <div key={index} class="prompt-message">
          <span class="badge">{String(role)}</span>
          <ContentBlock block={membersOf(block)} />
        </div>
      ))}
      {structuredContent !== undefined && (
        <>
          <h3>Structured content</h3>
          <JsonTree value={structuredContent} label="the structured content" />
        </>
      )}
      <details class="raw">
        <summary>The whole result</summary>
        <JsonTree value={result} label="the result" />
      </details>
    </div>
  )
}

export function ResultContent({ result }: { readonly result: Params }) {
  const resources = listOf(result.contents).map((resource) => ({ type: 'resource', resource }))
  return [...listOf(result.content), ...resources].map((block, index) => (
    <ContentBlock key={index} block={block} />
  ))
}

function listOf(value: unknown): readonly Params[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map(membersOf) : []
}
