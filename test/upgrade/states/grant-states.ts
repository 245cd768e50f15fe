/** Open state of grants: codes, access tokens and refresh tokens. */
import type { ExpectStatic } from 'vitest'
import { POLL } from '../../faults/sessions/bounded.ts'
import {
  type HeldClient,
  type HeldCode,
  obtainCode,
  obtainTokens,
  redeem,
  refresh,
  register,
  revoke,
  signingKeyIds,
  statusWith,
  type Tokens,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { callTool, withToken } from '../calls.ts'
import { openState } from '../open-state.ts'
import type { ServedEndpoint } from '../upgrade-server.ts'

interface Grant {
  readonly client: HeldClient
  readonly tokens: Tokens
}

async function createGrant(server: ServedEndpoint, label: string): Promise<Grant> {
  const client = await register(server, { client_name: label })
  return { client, tokens: await obtainTokens(server, client) }
}

async function expectRevoked(
  server: ServedEndpoint,
  { client, tokens }: Grant,
  expect: ExpectStatic,
): Promise<void> {
  const { status, body } = await refresh(server, client, tokens.refresh)
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
  await expect.poll(() => statusWith(server, tokens.access), POLL).toBe(401)
}

export const GRANT_STATES = {
  'signing keys': openState<string[]>({
    title: 'publishes the signing keys that were in use',
    isOlder: true,
    leave: signingKeyIds,
    async resume(server, ids, expect) {
      expect(await signingKeyIds(server)).toEqual(expect.arrayContaining(ids))
    },
  }),

  'access token': openState<string>({
    title: 'accepts an access token',
    isOlder: true,
    leave: async (server, label) => (await createGrant(server, label)).tokens.access,
    async resume(server, token, expect) {
      const { result } = await callTool(withToken(server, token), 'whoami')
      const scopes = ['read', 'write']
      expect(result?.structuredContent).toMatchObject({ subject: 'owner', scopes })
    },
  }),

  'refresh token': openState<Grant>({
    title: 'refreshes a grant, and revokes it when the old refresh token is reused',
    isOlder: true,
    leave: createGrant,
    async resume(server, { client, tokens }, expect) {
      const first = tokensIn(await refresh(server, client, tokens.refresh))
      expect(await statusWith(server, first.access)).toBe(200)
      const second = tokensIn(await refresh(server, client, first.refresh))
      expect((await refresh(server, client, tokens.refresh)).body.error).toBe('invalid_grant')
      await expectRevoked(server, { client, tokens: second }, expect)
    },
  }),

  'spent refresh token': openState<Grant & { readonly spent: string }>({
    title: 'revokes a grant when a refresh token is presented that was spent before',
    async leave(server, label) {
      const { client, tokens } = await createGrant(server, label)
      const first = tokensIn(await refresh(server, client, tokens.refresh))
      const second = tokensIn(await refresh(server, client, first.refresh))
      return { client, tokens: second, spent: tokens.refresh }
    },
    async resume(server, { spent, ...grant }, expect) {
      expect((await refresh(server, grant.client, spent)).body.error).toBe('invalid_grant')
      await expectRevoked(server, grant, expect)
    },
  }),

  'revoked grant': openState<Grant>({
    title: 'accepts no token of a revoked grant',
    async leave(server, label) {
      const grant = await createGrant(server, label)
      const { status } = await revoke(server, grant.client, grant.tokens.refresh)
      if (status !== 200) throw new Error(`Not revoked: ${status}`)
      return grant
    },
    resume: expectRevoked,
  }),

  'redeemed code': openState<Grant & { readonly code: HeldCode }>({
    title: 'revokes a grant when its code is redeemed a second time',
    async leave(server, label) {
      const client = await register(server, { client_name: label })
      const code = await obtainCode(server, client)
      return { client, code, tokens: tokensIn(await redeem(server, client, code)) }
    },
    async resume(server, { code, ...grant }, expect) {
      expect(await statusWith(server, grant.tokens.access)).toBe(200)
      expect((await redeem(server, grant.client, code)).body.error).toBe('invalid_grant')
      await expectRevoked(server, grant, expect)
    },
  }),

  'authorization code': openState<{ client: HeldClient; code: HeldCode }>({
    title: 'redeems an authorization code once',
    async leave(server, label) {
      const client = await register(server, { client_name: label })
      return { client, code: await obtainCode(server, client) }
    },
    async resume(server, { client, code }, expect) {
      const tokens = tokensIn(await redeem(server, client, code))
      expect(await statusWith(server, tokens.access)).toBe(200)
      expect((await redeem(server, client, code)).body.error).toBe('invalid_grant')
    },
  }),

  // The last to be left, because its time is the shortest.
  'refresh token in its grace period': openState<Grant & { readonly successor: string }>({
    title: 'repeats the response to a refresh within its grace period',
    async leave(server, label) {
      const grant = await createGrant(server, label)
      const { refresh: successor } = tokensIn(
        await refresh(server, grant.client, grant.tokens.refresh),
      )
      return { ...grant, successor }
    },
    async resume(server, { client, tokens, successor }, expect) {
      const repeated = tokensIn(await refresh(server, client, tokens.refresh))
      expect(repeated.refresh).toBe(successor)
      expect(await statusWith(server, repeated.access)).toBe(200)
    },
  }),
}
