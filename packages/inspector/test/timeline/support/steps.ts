/** Steps as they are recorded, for tests of what is concluded from them. */
import type { Details, StepKind, TimelineStep } from '../../../src/objects/log/port.ts'

export const BEGAN = Date.UTC(2026, 10, 22, 12)
export const URL_OF_ENDPOINT = 'https://mcp.example.com/mcp'

type Changes = Partial<Omit<TimelineStep, 'details'>> & { readonly details?: Details }

/** @param seconds after the beginning */
export function step(seconds: number, kind: StepKind, changes: Changes = {}): TimelineStep {
  const { details, ...rest } = changes
  return {
    at: BEGAN + seconds * 1000,
    tookMs: 5,
    kind,
    http: kind.endsWith('-metadata') ? 'GET' : 'POST',
    status: 200,
    network: 'net-a',
    software: 'node',
    events: [],
    ...rest,
    details: {
      url: URL_OF_ENDPOINT,
      // A notification is answered without a body.
      ...(rest.status !== 202 && { type: 'application/json' }),
      ...details,
    },
  }
}

export const challenge = (seconds: number, changes: Changes = {}): TimelineStep =>
  step(seconds, 'endpoint', {
    status: 401,
    ...changes,
    details: {
      authorization: 'none',
      challenge: 'Bearer',
      metadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
      ...changes.details,
    },
  })

export const resource = (seconds: number, changes: Changes = {}): TimelineStep =>
  step(seconds, 'resource-metadata', {
    ...changes,
    details: {
      isDocument: true,
      cors: true,
      resource: URL_OF_ENDPOINT,
      server: 'https://mcp.example.com',
      ...changes.details,
    },
  })

export const server = (seconds: number, changes: Changes = {}): TimelineStep =>
  step(seconds, 'server-metadata', {
    ...changes,
    details: {
      isDocument: true,
      issuer: 'https://mcp.example.com',
      authorizationEndpoint: 'https://mcp.example.com/authorize',
      tokenEndpoint: 'https://mcp.example.com/token',
      registrationEndpoint: 'https://mcp.example.com/register',
      pkce: true,
      codeFlow: true,
      publicClients: true,
      documents: true,
      issInResponse: true,
      ...changes.details,
    },
  })

export const registration = (
  seconds: number,
  client: string,
  changes: Changes = {},
): TimelineStep =>
  step(seconds, 'registration', {
    status: 201,
    client,
    ...changes,
    details: {
      isDocument: true,
      hasClientId: true,
      redirects: 'http://127.0.0.1',
      redirectCount: 1,
      ...changes.details,
    },
  })

/** In a browser of another network, unless `changes` says otherwise. */
export const authorization = (
  seconds: number,
  client: string,
  changes: Changes = {},
): TimelineStep =>
  step(seconds, 'authorization', {
    http: 'GET',
    client,
    software: 'browser',
    ...changes,
    details: {
      redirect: 'http://127.0.0.1',
      hasState: true,
      hasChallenge: true,
      ...changes.details,
    },
  })

export const consent = (seconds: number, client: string, changes: Changes = {}): TimelineStep =>
  step(seconds, 'consent', {
    status: 303,
    client,
    software: 'browser',
    ...changes,
    details: {
      location: 'http://127.0.0.1',
      returnsCode: true,
      returnsState: true,
      iss: 'https://mcp.example.com',
      ...changes.details,
    },
  })

export const token = (seconds: number, client: string, changes: Changes = {}): TimelineStep =>
  step(seconds, 'token', {
    client,
    ...changes,
    details: {
      grant: 'authorization_code',
      isDocument: true,
      hasToken: true,
      tokenType: 'Bearer',
      expires: 86_400,
      hasRefreshToken: true,
      audience: URL_OF_ENDPOINT,
      ...changes.details,
    },
  })

/** A call that is served. */
export const call = (seconds: number, method: string, changes: Changes = {}): TimelineStep =>
  step(seconds, 'endpoint', {
    ...changes,
    details: {
      method,
      authorization: changes.client === undefined ? 'none' : 'Bearer',
      ...changes.details,
    },
  })

/** From the challenge to the first call, one step a second. */
export function signIn(seconds: number, client: string, changes: Changes = {}): TimelineStep[] {
  return [
    challenge(seconds, changes),
    resource(seconds + 1, changes),
    server(seconds + 2, changes),
    registration(seconds + 3, client, changes),
    authorization(seconds + 4, client),
    consent(seconds + 5, client),
    token(seconds + 6, client, changes),
    call(seconds + 7, 'initialize', { client, ...changes }),
    call(seconds + 8, 'tools/list', { client, ...changes }),
  ]
}
