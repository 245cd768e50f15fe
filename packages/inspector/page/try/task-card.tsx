/** What a call has become: the task as the server has described it last. */
import { isOverStatus } from '../../../../src/protocol/tasks.ts'
import { CopyButton } from '../elements/copy-button.tsx'
import { dateOf } from '../elements/figures.ts'
import { Code, Paragraph } from '../elements/text.tsx'
import type { FollowedTask } from './run-report.ts'

const KINDS: Readonly<Record<string, string>> = {
  working: 'accent',
  input_required: 'warn',
  completed: 'good',
  failed: 'bad',
}

export function TaskCard({ task }: { readonly task: FollowedTask }) {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs } = task
  return (
    <section class="card task" aria-label="Task">
      <div class="card-head">
        <h3>Task</h3>
        <span class={`badge ${KINDS[status] ?? 'plain'}`}>{status}</span>
      </div>
      {statusMessage !== undefined && <Paragraph text={statusMessage} />}
      <p class="task-id">
        <Code>{taskId}</Code>
        <CopyButton label="the id of the task" text={() => taskId} />
      </p>
      <dl class="properties">
        <Time name="Last update" at={Date.parse(lastUpdatedAt)} />
        <Time name="Expires" at={Date.parse(createdAt) + ttlMs} />
      </dl>
      {!isOverStatus(status) && (
        <p class="quiet">The task continues on the server, also when you close this page.</p>
      )}
    </section>
  )
}

function Time({ name, at }: { readonly name: string; readonly at: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <time>{Number.isFinite(at) ? dateOf(at) : '–'}</time>
      </dd>
    </div>
  )
}
