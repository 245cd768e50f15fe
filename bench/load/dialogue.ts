/** What one connection says to a server again and again: a request, or one and what follows from its answer. */
import { type JsonRpcRequest, requestBytes } from './request.ts'

export interface Dialogue {
  readonly opening: Buffer
  /** The bytes to send after an answer, in Latin-1; undefined for an answer that asks for nothing. */
  readonly followUp?: (answer: string) => string | undefined
}

export function oneRequest(request: JsonRpcRequest, port: number): Dialogue {
  return { opening: requestBytes(request, port) }
}

/** A state is only ever letters that JSON does not escape. */
const REQUEST_STATE = /"requestState":"([\w.~-]+)"/

/** Stands for the state in the bytes that are prepared; the real one has another length. */
const PLACE = '{state}'

/** A request that is answered with a state, and the request that carries it back. */
export function twoRounds(
  opening: JsonRpcRequest,
  retry: (requestState: string) => JsonRpcRequest,
  port: number,
): Dialogue {
  const prepared = requestBytes(retry(PLACE), port).toString('latin1')
  const [head = '', body = ''] = prepared.split('\r\n\r\n')
  const headBeforeLength = head.replace(/\d+$/, '')
  const [before = '', after = ''] = body.split(PLACE)
  const fixedLength = before.length + after.length
  return {
    opening: requestBytes(opening, port),
    followUp: (answer) => {
      const state = REQUEST_STATE.exec(answer)?.[1]
      if (state === undefined) return undefined
      const length = fixedLength + state.length
      return `${headBeforeLength}${length}\r\n\r\n${before}${state}${after}`
    },
  }
}
