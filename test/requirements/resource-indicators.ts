import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc8707'

export const resourceIndicators: RequirementDocument = {
  title: 'Resource indicators (RFC 8707)',
  pages: [PAGE],
  requirements: [
    {
      id: 'absolute-uri',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The resource is an absolute URI; another value receives invalid_target.',
      concerns: 'client',
      tests: [
        'test/auth/server/resource-parameter.test.ts > the authorization endpoint > refuses a resource with %s with invalid_target > a text that is no URL',
        'test/auth/server/resource-parameter.test.ts > the token endpoint, when a code is redeemed > rejects %s with invalid_target and does not spend the code',
        'test/auth/server/resource-parameter.test.ts > the token endpoint, when a token is refreshed > rejects %s with invalid_target and does not spend the token',
        'test/auth/server/resource-parameter.test.ts > the token endpoint, for client credentials > rejects a resource that is not served with invalid_target',
      ],
    },
    {
      id: 'no-fragment',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2`],
      says: 'The resource has no fragment; one with a fragment receives invalid_target.',
      concerns: 'client',
      tests: [
        'test/auth/server/resource-parameter.test.ts > the authorization endpoint > refuses a resource with %s with invalid_target > a fragment',
      ],
    },
  ],
}
