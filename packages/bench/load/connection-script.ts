/** The requests that one connection sends in a loop, some of which depend on the last response. */
import { type LoadRequest, requestBytes } from './request.ts'

export interface ConnectionScript {
  /** Status that every response must have. Default: 200. */
  readonly status?: number
  /** The bytes that start each iteration. */
  readonly firstRequest: Buffer
  /** Returns the second request in Latin-1, or undefined when the response ends the iteration. */
  readonly followUp?: (response: string) => string | undefined
  /** Builds the next `firstRequest` from the response. False when the response has no token. */
  readonly advance?: (response: string) => boolean
}

export function singleRequest(request: LoadRequest, port: number): ConnectionScript {
  const { status = 200 } = request
  return { firstRequest: requestBytes(request, port), status }
}

const REFRESH_TOKEN = /"refresh_token":"([\w.~-]+)"/

/** Requests each of which presents the refresh token of the last response. */
export function refreshRequests(
  first: LoadRequest,
  next: (refreshToken: string) => LoadRequest,
  port: number,
): ConnectionScript {
  let firstRequest = requestBytes(first, port)
  return {
    get firstRequest() {
      return firstRequest
    },
    advance: (response) => {
      const token = REFRESH_TOKEN.exec(response)?.[1]
      if (token === undefined) return false
      firstRequest = requestBytes(next(token), port)
      return true
    },
  }
}

/** The `requestState` of every lane consists of characters that JSON does not escape. */
const REQUEST_STATE = /"requestState":"([\w.~-]+)"/

/** Marks the position of the state in the prepared bytes. */
const PLACEHOLDER = '{state}'

/** A request whose response carries a `requestState`, and the request that returns the state. */
export function twoRoundTrips(
  first: LoadRequest,
  retry: (requestState: string) => LoadRequest,
  port: number,
): ConnectionScript {
  const prepared = requestBytes(retry(PLACEHOLDER), port).toString('latin1')
  const [head = '', body = ''] = prepared.split('\r\n\r\n')
  // The last header is Content-Length, which depends on the length of the state.
  const headBeforeLength = head.replace(/\d+$/, '')
  const [before = '', after = ''] = body.split(PLACEHOLDER)
  const fixedLength = before.length + after.length
  return {
    firstRequest: requestBytes(first, port),
    followUp: (response) => {
      const state = REQUEST_STATE.exec(response)?.[1]
      if (state === undefined) return undefined
      const length = fixedLength + state.length
      return `${headBeforeLength}${length}\r\n\r\n${before}${state}${after}`
    },
  }
}
