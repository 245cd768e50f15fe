/** A run as it happens: progress, log messages, questions, and the result. */
import type { Params } from '../client/endpoint.ts'
import type { RunRequest } from '../client/run-request.ts'
import { durationOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Notice } from '../elements/notice.tsx'
import { SmallButton } from '../elements/small-button.tsx'
import { Paragraph } from '../elements/text.tsx'
import { membersOf } from '../traffic/exchange.ts'
import { AskList } from './ask-list.tsx'
import { ContentBlock } from './content-block.tsx'
import { Notifications } from './notifications.tsx'
import type { Runner } from './run.ts'
import type { Run } from './run-report.ts'
import { SignIn } from './sign-in.tsx'
import { TaskCard } from './task-card.tsx'

interface RunPanelProps {
  readonly runner: Runner
  readonly endpoint: string
}

export function RunPanel({ runner: { run, request, isActive, cancel }, endpoint }: RunPanelProps) {
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
          <Outcome run={run} request={request} endpoint={endpoint} cancel={cancel} />
        </>
      )}
    </section>
  )
}

interface OutcomeProps {
  readonly run: Run
  readonly request: RunRequest | undefined
  readonly endpoint: string
  readonly cancel: () => void
}

function Outcome({ run, request, endpoint, cancel }: OutcomeProps) {
  switch (run.state) {
    case 'asking':
      return (
        <AskList key={keyOf(run.asks)} asks={run.asks} onAnswers={run.answer} onRefuse={cancel} />
      )
    case 'done':
      return <ResultView result={run.result} />
    case 'signed-out':
      return <SignIn endpoint={endpoint} challenge={run.challenge} request={request} />
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
      return run.result.isError === true
        ? `The tool reported an error after ${durationOf(run.durationMs)}`
        : `Done in ${durationOf(run.durationMs)}`
    case 'signed-out':
      return 'Sign in to continue'
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
  }
}

/** The result of a call, a read or a prompt. */
function ResultView({ result }: { readonly result: Params }) {
  const { content, contents, messages, structuredContent, isError } = result
  const resources = listOf(contents).map((resource) => ({ type: 'resource', resource }))
  return (
    <div class="result">
      {isError === true && <Notice kind="bad" title="isError: the tool reported an error" />}
      {[...listOf(content), ...resources].map((block, index) => (
        <ContentBlock key={index} block={block} />
      ))}
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

function listOf(value: unknown): readonly Params[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map(membersOf) : []
}
