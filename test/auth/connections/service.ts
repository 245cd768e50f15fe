/** The service of `edgeway/testing`, as the connections of these tests use it. */
import { onTestFinished } from 'vitest'
import {
  type AccountService,
  createAccountService,
} from '../../../packages/testing/src/account-service.ts'
import { type OAuthOptions, oauth } from '../../../src/features/connections/index.ts'

export const SERVICE = 'https://service.example.net'

/** Answers outbound requests to the service until the test is over. */
export function startService(): AccountService {
  const service = createAccountService({
    url: SERVICE,
    accounts: ['ada', 'bob', 'eve'],
    api: ({ url }, { id }) =>
      url.endsWith('/redirect')
        ? Response.redirect('https://evil.example.org/')
        : Response.json({ account: id }),
  }).listen()
  onTestFinished(() => service.close())
  return service
}

export const connectionOf = (service: AccountService, options: Partial<OAuthOptions> = {}) =>
  oauth({ name: 'Example', ...service.oauth, scopes: ['read'], ...options })

/** What a person does at the page of the service: the path to which it sends the browser. */
export function returnFrom(service: AccountService, location: string | null): string {
  const { pathname, search } = new URL(service.visit(location ?? ''))
  return pathname + search
}

/** The fields of the requests for tokens. */
export const formsOf = ({ requests }: AccountService) =>
  requests.filter(({ part }) => part === 'token').map(({ fields }) => fields)

/** The tokens of the requests for revocation. */
export const revokedAt = ({ requests }: AccountService) =>
  requests.filter(({ part }) => part === 'revocation').map(({ fields }) => fields.token)

/** The tokens of the requests at the API. */
export const tokensAt = ({ requests }: AccountService) =>
  requests.filter(({ part }) => part === 'api').map(({ token }) => token)
