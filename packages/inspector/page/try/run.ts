/** One request and its rounds: the server asks, the person answers, and the request is repeated. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { CallTimer } from '../../../testing/src/play-limits.ts'
import { type Params, type RequestOptions, sendRequest } from '../client/endpoint.ts'
import { playedClient } from '../client/played-client.ts'
import type { RunRequest } from '../client/run-request.ts'
import { type Ask, asksOf } from './ask.ts'
import { type Run, RunReport } from './run-report.ts'
import { cancelTask, followTask, taskOf } from './task.ts'

export type Runner = ReturnType<typeof useRun>

/** A server that asks this often does not end. */
const MAX_ROUNDS = 100

/** The page shows something else: a request ends, and a task continues without the page. */
const LEFT = new DOMException('The page shows something else', 'AbortError')

/** `run` is undefined before the first request, and `request` is the one that was sent last. */
export function useRun() {
  const [run, setRun] = useState<Run>()
  const [request, setRequest] = useState<RunRequest>()
  const controller = useRef<AbortController>(null)

  const cancel = useCallback(() => controller.current?.abort(), [])
  useEffect(() => () => controller.current?.abort(LEFT), [])

  const start = useCallback((next: RunRequest) => {
    setRequest(next)
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const update = (present: Run) => {
      // A run that was replaced reports nothing more.
      if (controller.current === own) setRun(present)
    }
    void perform(next, own.signal, new RunReport(update))
  }, [])

  const isActive = run?.state === 'running' || run?.state === 'asking'
  return { run, request, isActive, start, cancel }
}

async function perform(
  { endpoint, method, params, inputSchema }: RunRequest,
  signal: AbortSignal,
  report: RunReport,
): Promise<void> {
  const { callTimeoutMs, progressResetsTimeout } = playedClient()
  const timer = new CallTimer(callTimeoutMs)
  const ask = async (asks: readonly Ask[]) => {
    timer.stop()
    const responses = await report.ask(asks, signal)
    timer.restart()
    return responses
  }
  const options: RequestOptions = {
    inputSchema,
    signal: timer.signalWith(signal),
    onNotification: (notification) => {
      const isProgress = notification.method === 'notifications/progress'
      if (isProgress && progressResetsTimeout) timer.restart()
      report.notified(notification)
    },
    onAsks: ask,
  }
  try {
    let round = params
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const result = await sendRequest(endpoint, method, round, options)
      const task = taskOf(result)
      if (task !== undefined) {
        timer.stop()
        return report.ended(await followTask(task, endpoint, signal, report))
      }
      if (result.resultType !== 'input_required') return report.done(result)
      const inputResponses = await ask(asksOf(result))
      const { requestState } = result
      round = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
    report.show({ state: 'failed', problem: `The server asked ${MAX_ROUNDS} times.` })
  } catch (error) {
    if (!signal.aborted) return report.failed(error)
    const { task } = report
    if (task === undefined || signal.reason === LEFT) return report.show({ state: 'cancelled' })
    await cancelTask(endpoint, task).then(
      (cancelled) => report.ended(cancelled),
      (failure: unknown) => report.failed(failure),
    )
  } finally {
    timer.stop()
  }
}

/** Calls a tool for a view, and returns its result, also that of a task. */
export function callTool(
  request: RunRequest,
  signal: AbortSignal,
  onAsks: (asks: readonly Ask[]) => Promise<Params>,
): Promise<Params> {
  return new Promise((resolve, reject) => {
    const follow = (run: Run) => {
      if (run.state === 'done') resolve(run.result)
      else if (run.state === 'asking') onAsks(run.asks).then(run.answer, reject)
      else if (run.state === 'failed') reject(new Error(run.problem))
      else if (run.state !== 'running') reject(new Error('The call ended without a result'))
    }
    void perform(request, signal, new RunReport(follow))
  })
}
