/** Open state that belongs to a principal: no other principal may use it. */
import { brief } from '../../faults/sessions/message.ts'
import { accept } from '../../support/accept.ts'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { callTool, stateOf, stepsOf, withToken } from '../calls.ts'
import { openState } from '../open-state.ts'
import type { ServedEndpoint } from '../upgrade-server.ts'
import { type HeldSession, openSession, reopenSession } from './held-session.ts'
import { expectChanges, type MissedChanges, missChanges } from './missed-changes.ts'

/** The access tokens of the two people. */
export interface HeldTokens {
  readonly owner: string
  readonly guest: string
}

export async function createTokens(server: ServedEndpoint, label: string): Promise<HeldTokens> {
  const client = await register(server, { client_name: label })
  const { access: owner } = await obtainTokens(server, client)
  const { access: guest } = await obtainTokens(server, client, { as: 'guest' })
  return { owner, guest }
}

export const PRINCIPAL_STATES = {
  'session of a principal': openState<{
    tokens: HeldTokens
    session: HeldSession
    lastEventId: string
    name: string
  }>({
    title: 'resumes the call of a session for its caller, and for no other principal',
    async leave(server, name) {
      const tokens = await createTokens(server, name)
      const { session, held } = await openSession(withToken(server, tokens.owner))
      const events = await session.stream('ask_count', { name })
      await events.message(1)
      events.close()
      return { tokens, session: held, lastEventId: events.ids[0] ?? '', name }
    },
    async resume(server, { tokens, session: held, lastEventId, name }, expect) {
      const foreign = reopenSession(withToken(server, tokens.guest), held)
      expect(await foreign.get(lastEventId)).toBe(404)
      const endpoint = withToken(server, tokens.owner)
      const session = reopenSession(endpoint, held)
      const events = await session.listen(lastEventId)
      const ask = await events.message(0)
      expect((await foreign.post({ jsonrpc: '2.0', id: ask.id, result: {} })).status).toBe(404)
      expect(await session.answer(ask, { ok: true })).toBe(202)
      expect((await events.rest()).slice(1).map(brief)).toEqual([
        'progress 3',
        'result 1 {"action":"accept","ok":true}',
      ])
      expect(await stepsOf(endpoint, name)).toEqual([1, 1])
    },
  }),

  'stream of changes of a principal': openState<{ token: string; changes: MissedChanges }>({
    title: 'delivers the changes that the listener of a principal has missed once and in order',
    async leave(server, label) {
      const { owner: token } = await createTokens(server, label)
      return { token, changes: await missChanges(withToken(server, token), label) }
    },
    resume: (server, { token, changes }, expect) =>
      expectChanges(withToken(server, token), changes, expect),
  }),

  'request state of a principal': openState<{
    tokens: HeldTokens
    requestState: string
    name: string
  }>({
    title: 'accepts a request state from its principal, and from no other',
    async leave(server, name) {
      const tokens = await createTokens(server, name)
      const requestState = await stateOf(withToken(server, tokens.owner), 'ask_count', { name })
      return { tokens, requestState, name }
    },
    async resume(server, { tokens, requestState, name }, expect) {
      const round = { requestState, inputResponses: { confirm: accept({ ok: true }) } }
      const answerAs = (token: string) =>
        callTool(withToken(server, token), 'ask_count', { name }, round)
      expect((await answerAs(tokens.guest)).error?.code).toBe(-32602)
      const { result } = await answerAs(tokens.owner)
      expect(result?.structuredContent).toEqual({ action: 'accept', ok: true })
      expect(await stepsOf(withToken(server, tokens.owner), name)).toEqual([1, 1])
    },
  }),
}
