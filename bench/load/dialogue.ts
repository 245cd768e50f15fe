/** What one connection says to a server again and again: a request, or one and what follows from its answer. */
import { type LoadRequest, requestBytes } from './request.ts'

export interface Dialogue {
  /** Of every answer. Default: 200. */
  readonly status?: number
  /** What is sent at first, and again after every end. */
  readonly opening: Buffer
  /** The bytes to send after an answer, in Latin-1; undefined for an answer that asks for nothing. */
  readonly followUp?: (answer: string) => string | undefined
  /** Makes the next opening from the answer; false for an answer that it cannot be made from. */
  readonly learn?: (answer: string) => boolean
}

export function oneRequest(request: LoadRequest, port: number): Dialogue {
  const { status = 200 } = request
  return { opening: requestBytes(request, port), status }
}

const REFRESH_TOKEN = /"refresh_token":"([\w.~-]+)"/

/** Requests of which each needs the refresh token that the last was answered with. */
export function refreshChain(
  first: LoadRequest,
  next: (refreshToken: string) => LoadRequest,
  port: number,
): Dialogue {
  let opening = requestBytes(first, port)
  return {
    get opening() {
      return opening
    },
    learn: (answer) => {
      const token = REFRESH_TOKEN.exec(answer)?.[1]
      if (token === undefined) return false
      opening = requestBytes(next(token), port)
      return true
    },
  }
}

/** A state is only ever letters that JSON does not escape. */
const REQUEST_STATE = /"requestState":"([\w.~-]+)"/

/** Stands for the state in the bytes that are prepared; the real one has another length. */
const PLACE = '{state}'

/** A request that is answered with a state, and the request that carries it back. */
export function twoRounds(
  opening: LoadRequest,
  retry: (requestState: string) => LoadRequest,
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
