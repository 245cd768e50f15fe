/** JSON-RPC between a view and the window above it: checks each message, and matches answers with requests. */
import { type Frame, isObject, type Members, warn } from './frame.ts'
import { ViewError } from './view-error.ts'

export interface Channel {
  /** Aborting `signal` cancels the request at the host, and rejects with its reason. */
  request(method: string, params: object, signal?: AbortSignal): Promise<Members>
  notify(method: string, params?: object): void
}

export interface Receiver {
  /** @returns the result; undefined for a method that the view does not have */
  onRequest(method: string): Promise<object | undefined>
  onNotification(method: string, params: Members): void
}

interface Pending {
  resolve(result: Members): void
  reject(error: unknown): void
}

const METHOD_NOT_FOUND = -32601
const INTERNAL_ERROR = -32603

export function openChannel(frame: Frame, receiver: Receiver): Channel {
  const pending = new Map<unknown, Pending>()
  let lastId = 0
  // The origin of a host is not known: it may be that of a sandbox in between.
  const send = (message: object) => frame.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')

  const answer = async (id: unknown, method: string) => {
    try {
      const result = await receiver.onRequest(method)
      if (result !== undefined) return send({ id, result })
      warn(`The host sent a request that views do not have: ${method}`, id)
      send({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } })
    } catch (error) {
      console.error(`edgeway/view: ${method} failed`, error)
      send({ id, error: { code: INTERNAL_ERROR, message: 'Internal error' } })
    }
  }

  frame.addEventListener('message', ({ source, data }) => {
    // Any window can send messages, and extensions of browsers do.
    if (source !== frame.parent) return
    if (!isObject(data) || data.jsonrpc !== '2.0') return warn('A message is no JSON-RPC 2.0', data)
    const { id, method, params = {}, result, error } = data
    const isId = typeof id === 'string' || typeof id === 'number'
    if (method !== undefined) {
      const isCall = typeof method === 'string' && isObject(params) && (isId || id === undefined)
      if (!isCall) warn('A request is malformed', data)
      else if (isId) void answer(id, method)
      else receiver.onNotification(method, params)
      return
    }
    const waiting = pending.get(id)
    if (waiting === undefined) return warn('A message answers no request', data)
    pending.delete(id)
    if (isObject(result) && error === undefined) waiting.resolve(result)
    else waiting.reject(refusal(error, data))
  })

  return {
    notify: (method, params = {}) => send({ method, params }),
    request: (method, params, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const requestId = ++lastId
        pending.set(requestId, { resolve, reject })
        signal?.addEventListener('abort', () => {
          if (!pending.delete(requestId)) return
          send({ method: 'notifications/cancelled', params: { requestId } })
          reject(signal.reason)
        })
        send({ id: requestId, method, params })
      }),
  }
}

function refusal(error: unknown, data: Members): ViewError {
  if (isObject(error) && typeof error.code === 'number' && typeof error.message === 'string') {
    return new ViewError('refused', error.message, error.code)
  }
  warn('An answer has neither a result nor an error', data)
  return new ViewError('malformed', 'The host sent an answer that is neither a result nor an error')
}
