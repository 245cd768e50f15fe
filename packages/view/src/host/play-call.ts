/** Passes a call to a view as hosts do, in the usual order and in those of unlucky hosts. */
import { isObject, type Members } from '../frame.ts'
import type { ViewHost } from './view-host.ts'

/**
 * `usual`: arguments and result. `late`: the view is shown long before the result. `twice`: the result is sent twice.
 * `cancelled`: the result comes after a cancellation. `text`: the result without its structured content.
 * `result-alone`: without arguments.
 */
export type CallOrder = 'usual' | 'late' | 'twice' | 'cancelled' | 'text' | 'result-alone'

export interface PlayedCall {
  readonly arguments: Members
  /** Undefined where the tool has none, which leaves the end of the call to the caller of {@link playCall}. */
  readonly result?: Members | undefined | Promise<Members | undefined>
}

export interface PlayOptions {
  readonly order?: CallOrder
  /** Whether the arguments are written in parts first. */
  readonly isWritten?: boolean
  /** How long each part takes, in milliseconds; the late result takes ten times that. Default 0. */
  readonly stepMs?: number
  readonly signal?: AbortSignal
}

export async function playCall(
  host: ViewHost,
  { arguments: args, result: outcome }: PlayedCall,
  { order = 'usual', isWritten = false, stepMs = 0, signal }: PlayOptions = {},
): Promise<void> {
  const step = async (count = 1) => {
    if (stepMs > 0) await new Promise((resolve) => setTimeout(resolve, stepMs * count))
    return signal?.aborted !== true
  }
  for (const part of isWritten ? partsOf(args) : []) {
    host.sendPartialArguments(part)
    if (!(await step())) return
  }
  if (order !== 'result-alone') host.sendArguments(args)
  if (order === 'cancelled') host.sendCancellation('played by the host')
  const result = await outcome
  if (result === undefined || signal?.aborted === true) return
  if (order === 'late' && !(await step(10))) return
  const { structuredContent: _, ...text } = result
  host.sendResult(order === 'text' ? text : result)
  if (order === 'twice') host.sendResult(result)
}

/** What a model has written of the arguments: one member after the other, and texts and lists in two halves. */
export function partsOf(args: Members): readonly Members[] {
  const written: Members[] = [{}]
  for (const [name, value] of Object.entries(args)) {
    const before = written.at(-1)
    if (typeof value === 'string' || Array.isArray(value)) {
      written.push({ ...before, [name]: value.slice(0, Math.ceil(value.length / 2)) })
    } else if (isObject(value)) {
      written.push(...partsOf(value).map((part) => ({ ...before, [name]: part })))
      continue
    }
    written.push({ ...before, [name]: value })
  }
  return written
}
