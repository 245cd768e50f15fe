/** Whole flows: each kind of client, each way to sign in and each proof, up to the end of the grant. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf } from './support/answers.ts'
import { ADA_KEY, KeyService } from './support/api-keys.ts'
import { statusWith, tokensOf } from './support/client.ts'
import { type ClientKind, expectRefusal, issue, type Steps } from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'
import { MACHINE } from './support/static-clients.ts'

const CLIENTS: Readonly<Record<string, Steps>> = {
  'a public client': { kind: 'registered' },
  'a client with a secret': { kind: 'secret' },
  'a client with keys': { kind: 'keys' },
  'a client with a metadata document': { kind: 'document' },
  'a client of the configuration': { kind: 'static' },
}

const SIGN_INS: Readonly<Record<string, () => Steps | Promise<Steps>>> = {
  'a passphrase': () => ({}),
  'a sign-in before': () => ({ signedIn: true }),
  'an API key': () => ({ login: new KeyService().login, form: { api_key: ADA_KEY } }),
  'a sign-in at a provider': async () => {
    const provider = await OpenIdProvider.start()
    return { login: provider.login(), provider }
  },
}

const flows = Object.entries(CLIENTS).flatMap(([client, steps]) =>
  Object.entries(SIGN_INS).flatMap(([signIn, more]) =>
    [false, true].map((proof) => {
      const title = `${client} with ${signIn} ${proof ? 'and a proof' : 'and no proof'}`
      return [title, { ...steps, proof }, more] as const
    }),
  ),
)
/** A provider answers every outbound request, those for a metadata document too. */
const isPossible = (title: string) => !/document with a sign-in at/.test(title)

describe('a flow of', () => {
  it.each(flows.filter(([title]) => isPossible(title)))('%s ends as it should', async (...row) => {
    const [, steps, more] = row
    const flow = await issue({ ...steps, ...(await more()), refresh: {} })
    const { client, server, key, credentials, text, response, reasons } = flow
    expect(text).toBe(`200 ${steps.proof ? 'DPoP' : 'Bearer'} read write`)
    expect(reasons).toEqual([])
    const { access, refresh } = await tokensOf(response)
    expect(decodeJwt(access).cnf).toEqual(key && { jkt: key.jkt })
    expect(await statusWith(server, access)).toBe(steps.proof ? 401 : 200)
    const isPublic = ['registered', 'document'].includes(steps.kind ?? '')
    const introspected = await client.post('/introspect', {
      token: access,
      ...(await credentials()),
    })
    if (isPublic) expect(introspected.status).toBe(401)
    else expect(await bodyOf(introspected)).toMatchObject({ active: true, client_id: client.id })
    const revoked = await client.post('/revoke', { token: refresh, ...(await credentials()) })
    expect(await bodyOf(revoked)).toEqual({})
    const proof = (await key?.proof()) ?? {}
    await expectRefusal(client.refresh(refresh, await credentials(), proof), 'invalid_grant')
  })

  const bound = { dpop_bound_access_tokens: true }
  it.each<[ClientKind, string, Steps]>([
    ['registered', '400 invalid_dpop_proof', { metadata: bound }],
    ['secret', '400 invalid_dpop_proof', { metadata: bound }],
    ['keys', '400 invalid_dpop_proof', { metadata: bound }],
    ['document', '400 invalid_dpop_proof', { metadata: bound }],
    ['static', '400 invalid_dpop_proof', { clients: [{ ...MACHINE, dpopBound: true }] }],
    ['secret', '401 invalid_client', { token: { client_secret: undefined } }],
    ['static', '401 invalid_client', { token: { client_secret: 'wrong' } }],
    [
      'keys',
      '401 invalid_client',
      { token: { client_assertion: undefined, client_assertion_type: undefined } },
    ],
    ['registered', '401 invalid_client', { token: { client_secret: 'made-up' } }],
  ])('the client kind %s is refused with %s', async (kind, answer, steps) => {
    const { text, server } = await issue({ kind, ...steps })
    expect(text).toBe(answer)
    const [status, name] = answer.split(' ')
    expect(server.events).toMatchObject([{ type: 'refusal', name, status: Number(status) }])
  })
})
