/** The listener that receives the authorization response: any program and any page can send it requests. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenForCallback } from '../src/doctor/oauth/login.ts'

async function startListener() {
  const listener = await listenForCallback()
  onTestFinished(() => listener.close())
  return listener
}

/** The status line of the response to raw bytes; empty when the connection is closed without one. */
async function sendRaw(redirectUri: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(redirectUri).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  socket.end()
  let answer = ''
  socket.on('data', (part) => {
    answer += part.toString()
  })
  await new Promise((done) => socket.on('close', done))
  return answer.split('\r\n', 1)[0] ?? ''
}

const request = (target: string, method = 'GET', headers = '') =>
  `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}connection: close\r\n\r\n`

/** Requests that are not an authorization response, and the status of its answer. */
const WRONG: readonly (readonly [what: string, bytes: string, status: string])[] = [
  ['the target //', request('//'), '404'],
  ['the target ///callback', request('///callback'), '404'],
  ['the target //callback?code=x', request('//callback?code=x'), '404'],
  ['the target http://[', request('http://['), '404'],
  ['the target http://127.0.0.1:99999/', request('http://127.0.0.1:99999/'), '404'],
  ['the target \\\\', request('\\\\'), '400'],
  ['the target /%', request('/%'), '404'],
  ['the target *', request('*', 'OPTIONS'), '404'],
  ['another path', request('/favicon.ico'), '404'],
  ['a path that begins as the callback', request('/callbacks?code=x'), '404'],
  ['a callback without parameters', request('/callback'), '400'],
  ['a callback with an empty query', request('/callback?'), '400'],
  ['a callback with another parameter', request('/callback?x=1'), '400'],
  ['a callback without a state', request('/callback?code=x'), '400'],
  ['a callback with another state', request('/callback?code=x&state=other'), '400'],
  ['an error without a state', request('/callback?error=access_denied'), '400'],
  ['a POST', request('/callback?code=x', 'POST', 'content-length: 0\r\n'), '405'],
  ['a HEAD', request('/callback?code=x', 'HEAD'), '405'],
  ['an upgrade', request('//', 'GET', 'upgrade: websocket\r\n'), '404'],
  ['a method that does not exist', request('/callback?code=x', 'BREW'), '400'],
  ['a tunnel', 'CONNECT //:1 HTTP/1.1\r\nhost: x\r\n\r\n', ''],
  ['a target of 100,000 characters', request(`/callback?code=${'x'.repeat(100_000)}`), '431'],
  ['a header without end', `GET /callback?code=x HTTP/1.1\r\nx: ${'y'.repeat(50)}`, '400'],
  ['bytes that are no HTTP', '\x16\x03\x01\x00\xff', '400'],
]

describe('the listener of the authorization response', () => {
  it.each(WRONG)('answers %s and goes on', async (_, bytes, status) => {
    const listener = await startListener()
    const waiting = listener.wait('s', 10_000)
    expect((await sendRaw(listener.redirectUri, bytes)).split(' ')[1] ?? '').toBe(status)
    const shown = await fetch(`${listener.redirectUri}?code=right&state=s`)
    expect(await shown.text()).toContain('This window can be closed')
    expect((await waiting)?.toString()).toBe('code=right&state=s')
  })

  it('reads parameters that are not well formed', async () => {
    const listener = await startListener()
    const waiting = listener.wait('%', 10_000)
    await sendRaw(listener.redirectUri, request('/callback?code=%E0%A4%A&state=%&&=?&error'))
    expect((await waiting)?.get('state')).toBe('%')
  })

  it('takes the first of several responses', async () => {
    const listener = await startListener()
    const waiting = listener.wait('s', 10_000)
    for (const code of ['first', 'second']) {
      await sendRaw(listener.redirectUri, request(`/callback?code=${code}&state=s`))
    }
    expect((await waiting)?.get('code')).toBe('first')
  })

  it('returns a response with another state when no right one has come in time', async () => {
    const listener = await startListener()
    const waiting = listener.wait('s', 1000)
    await sendRaw(listener.redirectUri, request('/callback?x=1'))
    await sendRaw(listener.redirectUri, request('/callback?code=c&state=other'))
    expect((await waiting)?.toString()).toBe('code=c&state=other')
  })

  it('closes connections that send nothing', async () => {
    const listener = await listenForCallback()
    const socket = connect(Number(new URL(listener.redirectUri).port), '127.0.0.1')
    await once(socket, 'connect')
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    )
    listener.close()
    await closed
    expect(await listener.wait('s', 1)).toBeUndefined()
  })
})
