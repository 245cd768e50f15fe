/** Progress and log messages of a run. */
import type { Notification } from '../client/endpoint.ts'
import { Code, Text } from '../elements/text.tsx'

export function Notifications({
  notifications,
}: {
  readonly notifications: readonly Notification[]
}) {
  const progress = notifications.findLast(({ method }) => method === 'notifications/progress')
  const logs = notifications.filter(({ method }) => method === 'notifications/message')
  return (
    <>
      {progress !== undefined && <Progress params={progress.params} />}
      {logs.length > 0 && (
        <ul class="log" aria-label="Log messages">
          {logs.map(({ params: { level, logger, data } }, index) => (
            <li key={index}>
              <span class={`badge ${kindOf(String(level))}`}>{String(level)}</span>{' '}
              {typeof logger === 'string' && <Code max={60}>{logger}</Code>}{' '}
              <Text>{typeof data === 'string' ? data : JSON.stringify(data)}</Text>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Progress({ params: { progress, total, message } }: Pick<Notification, 'params'>) {
  const done = Number(progress)
  const all = typeof total === 'number' && total > 0 ? total : undefined
  return (
    <div class="progress">
      <progress aria-label="Progress" value={all && done} max={all} />
      <span>
        {all === undefined ? done : `${done} of ${all}`}
        {typeof message === 'string' && (
          <>
            {' – '}
            <Text max={300}>{message}</Text>
          </>
        )}
      </span>
    </div>
  )
}

function kindOf(level: string): string {
  if (level === 'warning') return 'warn'
  return ['error', 'critical', 'alert', 'emergency'].includes(level) ? 'bad' : 'plain'
}
