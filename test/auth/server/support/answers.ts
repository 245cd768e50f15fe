/** Readers of responses. Each checks the headers that all responses of its kind share. */
import { expect } from 'vitest'
import type { GrantRefusalReason } from '../../../../src/telemetry/index.ts'
import type { Page } from './browser.ts'
import type { Deployment } from './deployment.ts'

/** RFC 6749 §5.2: printable ASCII without quotes and backslashes. */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

export interface Refusal {
  readonly status: number
  readonly error: string
  /** `WWW-Authenticate`, where there is one. */
  readonly challenge?: string
  readonly allow?: string
}

/** The refusal of an endpoint for programs, as RFC 6749 §5.2 has it. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const { status, headers } = response
  expectApiHeaders(headers)
  const body = await response.json<Record<string, string>>()
  expect(Object.keys(body)).toEqual(['error', 'error_description'])
  expect(body.error_description).toMatch(DESCRIPTION)
  const challenge = headers.get('www-authenticate')
  const allow = headers.get('allow')
  return {
    status,
    error: body.error ?? '',
    ...(challenge !== null && { challenge }),
    ...(allow !== null && { allow }),
  }
}

/** The body of a success that no cache may keep. */
export async function bodyOf(response: Response, status = 200): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status)
  expectApiHeaders(response.headers)
  return response.json()
}

function expectApiHeaders(headers: Headers): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
}

/** The reasons for which the token endpoint refused grants, as telemetry receives them. */
export function reasonsOf({ events }: Deployment): readonly GrantRefusalReason[] {
  return events.flatMap((event) => (event.type === 'grant-refused' ? [event.reason] : []))
}

/** Returns the address and the parameters of a redirect, without `error_description`. */
export function redirectOf({ status, headers, location }: Page): Record<string, string> {
  expect(status).toBe(303)
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  return responseOf(location ?? '')
}

/** Returns the same of the link on a message page, which the person follows to return the error. */
export function linkedErrorOf(page: Page): Record<string, string> {
  expect(messageOf(page)).toBe(400)
  const [, href = ''] = /<a href="([^"]*)" rel="noreferrer">/.exec(page.html) ?? []
  return responseOf(href.replaceAll('&amp;', '&'))
}

/** What {@link linkedErrorOf} and {@link redirectOf} return for an error and the request of an `AuthClient`. */
export const errorWith = (error: string) => ({
  to: 'https://client.example/callback',
  error,
  state: 'the-state',
  iss: 'https://mcp.example.com',
})

/** The address and the parameters of an authorization response. */
function responseOf(location: string): Record<string, string> {
  const url = new URL(location)
  const params = Object.fromEntries(url.searchParams)
  if ('error' in params) expect(params.error_description).toMatch(DESCRIPTION)
  delete params.error_description
  url.search = ''
  return { to: url.href, ...params }
}

/** Returns the status of a message page, which has no form. */
export function messageOf(page: Page): number {
  expectPageHeaders(page)
  expect(page.actions).toEqual([])
  expect(page.location).toBeNull()
  expect(page.headers.get('set-cookie')).toBeNull()
  return page.status
}

export function expectPageHeaders({ headers }: Page): void {
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'[^;]*; frame-ancestors 'none'; base-uri 'none'$/,
  )
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
}
