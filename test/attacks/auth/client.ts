/** A well-behaved client, whose requests a test changes in one place. */
import { createHash, randomBytes } from 'node:crypto'
import { Browser, OWNER } from './browser.ts'
import { type Answer, postForm, postJson } from './send.ts'

export const REDIRECT = 'https://client.example/callback'

export interface Registered {
  readonly id: string
  readonly secret: string | undefined
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

export async function register(origin: string, metadata: object = {}): Promise<Registered> {
  const answer = await postJson(origin, '/register', {
    client_name: 'A client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  })
  if (answer.status !== 201) throw new Error(`Not registered: ${answer.body}`)
  const { client_id: id, client_secret: secret } = JSON.parse(answer.body)
  return { id, secret }
}

export function createVerifier(): string {
  return randomBytes(32).toString('base64url')
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

interface Asking {
  readonly [parameter: string]: string | undefined
}

/** The query of an authorization request. An undefined change removes a parameter. */
export function authorizeQuery(clientId: string, verifier: string, changes: Asking = {}): string {
  const all: Asking = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'the-state',
    ...changes,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined
  })
  return new URLSearchParams(given).toString()
}

interface Issued {
  readonly code: string
  readonly verifier: string
  readonly client: Registered
}

function codeIn(answer: Answer): string {
  const location = answer.headers.get('location')
  const code = location === null ? null : new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`No code: ${answer.status} ${location}`)
  return code
}

/** Obtains an authorization code through the consent page. */
export async function obtainCode(
  origin: string,
  client: Registered,
  { passphrase = OWNER, ...changes }: Asking & { readonly passphrase?: string } = {},
): Promise<Issued> {
  const verifier = createVerifier()
  const browser = new Browser(origin)
  const form = await browser.consent(authorizeQuery(client.id, verifier, changes))
  return { code: codeIn(await browser.approve(form, passphrase)), verifier, client }
}

/** The form with which a public client redeems a code. */
export function redemption({ code, verifier, client }: Issued): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: client.id,
    redirect_uri: REDIRECT,
  }
}

export function refreshing(client: Registered, refresh: string): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: refresh, client_id: client.id }
}

export function tokensIn({ status, body }: Answer): Tokens {
  if (status !== 200) throw new Error(`No tokens: ${status} ${body}`)
  const { access_token: access, refresh_token: refresh, scope } = JSON.parse(body)
  return { access, refresh, scope }
}

export async function obtainTokens(
  origin: string,
  client: Registered,
  changes: Asking = {},
): Promise<Tokens> {
  return tokensIn(
    await postForm(origin, '/token', redemption(await obtainCode(origin, client, changes))),
  )
}
