/**
 * Kills the protected server while a call waits for its person. The call continues for the caller that
 * started it, whichever token brings the answer, and ends when that caller's access has ended.
 */
import { expect, it, onTestFinished } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import { obtainTokens, register, revoke } from '../../support/node/oauth-client.ts'
import { PersistentServer } from './persistent-server.ts'
import { send } from './send.ts'
import { Session } from './session.ts'

const REVOKED = 'The access of the caller has ended before this call was complete.'

/** A call that waits for its person, and the token that its client presents. */
async function holdCall(url: string, issuer: string, name: string) {
  const client = await register(issuer)
  const tokens = await obtainTokens(issuer, client)
  let token = tokens.access
  const withToken = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    return send(new Request(request, { headers }))
  }
  const session = new Session(
    await HttpSession.open({ url, fetch: withToken }, { capabilities: { elicitation: {} } }),
  )
  const call = await session.stream('ask_count', { name })
  const ask = await call.message(1)
  return {
    session,
    client,
    tokens,
    /** Answers with the token of another grant of the same client and person, and returns the result. */
    finishByOtherGrant: async () => {
      token = (await obtainTokens(issuer, client)).access
      expect(await session.answer(ask, { ok: true })).toBe(202)
      return (await session.rest(call.lastId)).at(-1)?.result
    },
  }
}

it('a call of the protected server that waited for its person when the server was killed completes with the token of another grant, and ends with an error if the grant of its caller was revoked', async () => {
  const server = await PersistentServer.start(onTestFinished, { protected: true })
  const { url } = server
  const issuer = new URL(url).origin
  const kept = await holdCall(url, issuer, 'kept')
  const revoked = await holdCall(url, issuer, 'revoked')
  await server.kill()
  await server.startAgain({ samePort: true })

  const completed = await kept.finishByOtherGrant()
  expect(completed?.structuredContent).toEqual({ action: 'accept', ok: true })
  expect(await kept.session.readCount('kept-first')).toBe(1)
  expect(await kept.session.readCount('kept-second')).toBe(1)

  expect((await revoke(issuer, revoked.client, revoked.tokens.refresh)).status).toBe(200)
  const failed = await revoked.finishByOtherGrant()
  expect(failed?.isError).toBe(true)
  expect(failed?.content?.[0]?.text).toContain(REVOKED)
  expect(await revoked.session.readCount('revoked-second')).toBe(0)
})
