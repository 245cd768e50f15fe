import { mcp, type RequirementDocument } from './requirement.ts'

export const resources: RequirementDocument = {
  title: 'Resources',
  pages: [
    ...mcp(
      'server/resources',
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      '2026-07-28',
    ),
    ...mcp('server/prompts', '2026-07-28'),
    ...mcp('server/tools', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/resources#capabilities',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server that has resources declares the resources capability.',
      tests: [
        'test/transport/session/change-forwarder.test.ts > a session under %s > declares listChanged and subscribe',
        'test/clients/handshake.test.ts > a client in %s mode > receives the server info, the instructions and the capabilities',
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
      ],
    },
    {
      id: 'list',
      level: 'MUST',
      clauses: [...mcp('server/resources#capabilities', '2026-07-28')],
      says: 'The server lists the resources that are available to the client.',
      tests: [
        'test/dispatch/lists.test.ts > resources that a template lists > come after the registered ones, each once, with %i under each',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is missing from the list, and the list is private',
      ],
    },
    {
      id: 'list-does-not-depend-on-the-connection',
      level: 'MUST NOT',
      clauses: [
        ...mcp('server/prompts#capabilities', '2026-07-28'),
        ...mcp('server/resources#capabilities', '2026-07-28'),
        ...mcp('server/tools#capabilities', '2026-07-28'),
      ],
      says: 'The list of resources does not depend on the connection or on earlier requests.',
      tests: [
        'test/property/cursors.test.ts > the pages of resources with templates that list theirs > contain every resource once, in order, and no page is longer than the page size',
        'test/dispatch/lists.test.ts > lists of registered definitions > answers equal requests with equal bytes except for the id',
      ],
    },
    {
      id: 'custom-schemes',
      level: 'MUST',
      clauses: [
        ...mcp('server/resources#custom-uri-schemes', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'A custom URI scheme follows RFC 3986.',
      concerns: 'author',
      tests: [
        'test/server/registration.test.ts > registerResource and registerPrompt with malformed arguments > throws a TypeError that matches %s > is not an absolute URI',
      ],
    },
    {
      id: 'missing-resource-code',
      level: 'MUST',
      clauses: [...mcp('server/resources#error-handling', '2026-07-28')],
      says: 'The server answers a read of a resource that does not exist with code -32602.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an unknown resource',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > returns the URI of a resource that was not found',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > sep-2164-resource-not-found',
      ],
    },
    {
      id: 'missing-resource-is-not-empty',
      level: 'MUST NOT',
      clauses: [...mcp('server/resources#error-handling', '2026-07-28')],
      says: 'The server does not answer a read of a resource that does not exist with empty contents.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > returns the URI of a resource that was not found',
        'test/clients/elicitation.test.ts > a resource receives the answer to its ask, and is not found after a decline',
      ],
    },
    {
      id: 'uris-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/resources#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server validates the URIs of resources.',
      tests: [
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > answers invalid params for the URI %j',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > an invalid URI',
        'test/transport/session/change-forwarder.test.ts > resources/subscribe > and resources/unsubscribe are refused for %s as URI',
        'test/transport/listen.test.ts > the filter of subscriptions/listen > is refused for %s > a path instead of a URI',
      ],
    },
    {
      id: 'binary-data-is-encoded',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/resources#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'Binary data of a resource is encoded in base64.',
      tests: [
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > sends text and bytes with the mimeType of the definition',
        'test/clients/resources.test.ts > a client in %s mode > reads binary contents as base64',
      ],
    },
    {
      id: 'no-directory-traversal',
      level: 'MUST',
      clauses: [...mcp('server/resources#security-considerations', '2026-07-28')],
      says: 'The server prevents directory traversal by file URIs.',
      tests: [
        'test/dispatch/resources-prompts-completion.test.ts > resources/read > does not match a URI with dot segments outside its template',
      ],
    },
  ],
}
