import { mcp, type RequirementDocument } from './requirement.ts'

export const caching: RequirementDocument = {
  title: 'Caching',
  pages: [...mcp('server/utilities/caching', '2026-07-28'), ...mcp('schema', '2026-07-28')],
  requirements: [
    {
      id: 'hints-on-cacheable-results',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#cacheable-results', '2026-07-28')],
      says: 'The server writes caching hints into results of the cacheable methods that are complete.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > sends the ttlMs and cacheScope of a list',
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > sends the caching hints of the definition',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > caching',
      ],
    },
    {
      id: 'cache-key',
      level: 'MUST NOT',
      clauses: [...mcp('server/utilities/caching#cache-key', '2026-07-28')],
      says: 'The client does not use a cached response for another method or other parameters.',
      concerns: 'client',
    },
    {
      id: 'results-of-retries-are-not-cached',
      level: 'MUST NOT',
      clauses: [...mcp('server/utilities/caching#cache-key', '2026-07-28')],
      says: 'The client does not cache the result of a request with inputResponses or a requestState.',
      concerns: 'client',
      tests: [
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > has no caching time when the request carries answers',
      ],
    },
    {
      id: 'ttl-is-not-negative',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#time-to-live-ttl-field', '2026-07-28')],
      says: 'The server sends a ttlMs of at least 0.',
      tests: [
        'test/server/registration.test.ts > registerResource and registerPrompt with malformed arguments > throws a TypeError that matches %s > ttlMs must be an integer',
        'test/server/registration.test.ts > registerResource and registerPrompt with malformed arguments > throws a TypeError that matches %s > listTtlMs must be',
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > sends the caching hints of the definition',
      ],
    },
    {
      id: 'polling-has-jitter',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#freshness-calculation', '2026-07-28')],
      says: 'A client that polls applies jitter and backoff.',
      concerns: 'client',
    },
    {
      id: 'private-responses-are-not-shared',
      level: 'MUST NOT',
      clauses: [
        ...mcp('server/utilities/caching#cache-scope-field', '2026-07-28'),
        ...mcp('schema#listtoolsresult-cachescope', '2026-07-28'),
      ],
      says: 'A cache does not share a private response between authorization contexts.',
      concerns: 'client',
    },
    {
      id: 'pages-have-one-scope',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#interaction-with-pagination', '2026-07-28')],
      says: 'The server sends one cacheScope with all pages of a list.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > have the same caching hints on every page of %s',
      ],
    },
    {
      id: 'private-pages-stay-private',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#interaction-with-pagination', '2026-07-28')],
      says: 'A list whose first page is private is private on every page.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > have the same caching hints on every page of %s',
      ],
    },
    {
      id: 'public-responses-are-shared',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#security-considerations', '2026-07-28')],
      says: 'The server takes into account that callers share public responses.',
      tests: [
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is missing from the list, and the list is private',
        'test/dispatch/lists.test.ts > resources that a template lists > are listed for the caller only',
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > sends the caching hints of the definition',
      ],
    },
    {
      id: 'access-control-per-primitive',
      level: 'MUST',
      clauses: [...mcp('server/utilities/caching#security-considerations', '2026-07-28')],
      says: 'The server controls access to each tool, prompt and resource.',
      tests: [
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is answered like a definition that does not exist',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > has its scopes checked before the handler runs',
      ],
    },
    {
      id: 'scope-is-no-access-control',
      level: 'MUST NOT',
      clauses: [...mcp('server/utilities/caching#security-considerations', '2026-07-28')],
      says: 'The server does not rely on cacheScope to prevent access.',
      tests: [
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is answered like a definition that does not exist',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > requires its scopes for completion and for listing too',
      ],
    },
  ],
}
