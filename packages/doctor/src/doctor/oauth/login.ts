/** Signs a person in with a browser: a listener on the loopback interface receives the response. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CallbackListener {
  readonly redirectUri: string
  /**
   * Resolves with the parameters of the first authorization response that has the state of the request. After the time:
   * with those of a response that has another one, which says what the server does wrong, or undefined.
   */
  wait(state: string, timeoutMs: number): Promise<URLSearchParams | undefined>
  close(): void
}

const PATH = '/callback'

const REFUSED = 'This is no response to the sign-in of the command line.'

const DONE = 'The command line has the answer. This window can be closed.'

export async function listenForCallback(): Promise<CallbackListener> {
  let expected: string | undefined
  let other: URLSearchParams | undefined
  let received: (parameters: URLSearchParams) => void = () => undefined
  const response = new Promise<URLSearchParams>((resolve) => {
    received = resolve
  })
  const server = createServer((request, reply) => {
    const { status, parameters } = readCallback(request)
    // Another program or page does not know the state, so it cannot end the sign-in.
    const isExpected = expected !== undefined && parameters?.getAll('state').includes(expected)
    reply.writeHead(status === 200 && !isExpected ? 400 : status, {
      'content-type': 'text/plain; charset=utf-8',
    })
    reply.end(isExpected ? DONE : REFUSED)
    if (parameters === undefined) return
    if (isExpected) received(parameters)
    else if (parameters.has('code') || parameters.has('error')) other ??= parameters
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A connection that cannot be accepted does not end the process.
  server.on('error', () => undefined)
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    wait: async (state, timeoutMs) => {
      expected = state
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, undefined)
      })
      const parameters = await Promise.race([response, late])
      clearTimeout(timer)
      return parameters ?? other
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Callback {
  readonly status: number
  /** Undefined unless the request may be an authorization response. */
  readonly parameters?: URLSearchParams
}

/** Any program of this machine and any page can send a request here, with any target. */
function readCallback({ method, url = '' }: IncomingMessage): Callback {
  const [path, ...query] = url.split('?')
  if (path !== PATH) return { status: 404 }
  if (method !== 'GET') return { status: 405 }
  const parameters = new URLSearchParams(query.join('?'))
  return parameters.size > 0 ? { status: 200, parameters } : { status: 400 }
}

/** Opens a page in the default browser. A machine without one shows the URL that the caller printed. */
export function openInBrowser(url: URL): void {
  // The URL comes from the metadata of a server: `explorer` and `open` would start programs for others.
  if (!/^https?:$/.test(url.protocol)) return
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(command, [url.href], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
