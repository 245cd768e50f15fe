/** A deployment with the admin API, and an operator who sends it requests. */
import { expect } from 'vitest'
import { type AdminOptions, admin } from '../../../../packages/inspector/src/admin/index.ts'
import type { EmbeddedOptions } from '../../../../src/auth/index.ts'
import { AuthClient } from './client.ts'
import { createBindings, type Deployment, openDeployment, PASSPHRASE } from './deployment.ts'

export const ADMIN = 'https://mcp.example.com/admin'
export const SCOPES = {
  read: 'Read notes',
  operate: { description: 'Operate the server', initial: false },
}
/** A program on the computer of the person, such as the command line. */
export const LOOPBACK = 'http://127.0.0.1:8976/callback'
export const OPERATOR = { client_name: 'Operator', redirect_uris: [LOOPBACK] }

export const OWNERS: AdminOptions = { owners: ['owner'], scope: 'operate' }

export function open(operators: AdminOptions = OWNERS, options: Partial<EmbeddedOptions> = {}) {
  const bindings = createBindings()
  return openDeployment(
    { scopes: SCOPES, limits: { grantCheckFreshMs: 0, grantCheckMaxAgeMs: 0 }, ...options },
    { bindings, app: { admin: admin(operators) } },
  )
}

export async function tokenFor(
  server: Deployment,
  changes: Readonly<Record<string, string>> = {},
  secret = PASSPHRASE,
): Promise<string> {
  const client = await AuthClient.register(server, OPERATOR)
  const wanted = { resource: ADMIN, scope: 'operate', redirect_uri: LOOPBACK, ...changes }
  const { resource, redirect_uri } = wanted
  const { access_token } = await (
    await client.redeem(await client.code(wanted, secret), { resource, redirect_uri })
  ).json<Record<string, string>>()
  return access_token ?? ''
}

export function send(
  server: Deployment,
  body: unknown,
  token?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return server.fetch(ADMIN, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export async function operate(server: Deployment, token: string, body: object): Promise<unknown> {
  const response = await send(server, body, token)
  const answer = await response.json<{ result: unknown }>()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  return answer.result
}
