/** Plays the limits of a client: how long it waits for a call, and how much text of a result it passes on. */

import { type ClientResultLimit, sizeIn } from '../../../src/clients/limits.ts'
import type { CallToolResult } from '../../../src/protocol/primitives.ts'
import { McpError } from '../../client/src/mcp-error.ts'

/** The code of the official SDKs for a request that was not answered in time. */
const TIMED_OUT = -32001

/** The time of one call. It ends by `stop`, or by aborting its signal. */
export class CallTimer {
  readonly #controller = new AbortController()
  readonly #timeoutMs: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(timeoutMs: number | undefined) {
    this.#timeoutMs = timeoutMs
    this.restart()
  }

  /** Begins the time anew, as some clients do when the call reports progress. */
  restart(): void {
    this.stop()
    const ms = this.#timeoutMs
    if (ms === undefined) return
    const error = new McpError(`The client has waited for ${ms} ms and has abandoned the call`, {
      code: TIMED_OUT,
      status: 200,
    })
    this.#timer = setTimeout(() => this.#controller.abort(error), ms)
  }

  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The signal of the call: that of its caller, and that of this time. */
  signalWith(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (this.#timeoutMs === undefined) return signal
    const own = this.#controller.signal
    return signal === undefined ? own : AbortSignal.any([signal, own])
  }
}

/** Cuts the texts of a result where the client cuts them. */
export function cutContent(
  content: CallToolResult['content'],
  { limit, unit }: ClientResultLimit,
): CallToolResult['content'] {
  let left = limit
  return content.map((block) => {
    if (block.type !== 'text') return block
    const size = sizeIn(unit, block.text)
    if (size <= left) {
      left -= size
      return block
    }
    const text = cutText(block.text, left, unit)
    left = 0
    return { ...block, text }
  })
}

/** The longest beginning of a text within a size, without half a character. */
function cutText(text: string, size: number, unit: ClientResultLimit['unit']): string {
  let [least, most] = [0, text.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (sizeIn(unit, text.slice(0, middle)) <= size) least = middle
    else most = middle - 1
  }
  const last = text.charCodeAt(least - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHalf ? least - 1 : least)
}
