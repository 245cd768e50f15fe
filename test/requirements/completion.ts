import { mcp, type RequirementDocument } from './requirement.ts'

export const completion: RequirementDocument = {
  title: 'Completion',
  pages: [
    ...mcp(
      'server/utilities/completion',
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      '2026-07-28',
    ),
  ],
  requirements: [
    {
      id: 'capability',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/completion#capabilities',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server that completes arguments declares the completions capability.',
      tests: [
        'test/transport/session-stateless.test.ts > initialize without session objects > declares the completions capability only in revisions that define it',
        'test/clients/handshake.test.ts > a client in %s mode > receives the server info, the instructions and the capabilities',
      ],
    },
    {
      id: 'inputs-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/completion#security',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server validates the parameters of completion.',
      tests: [
        'test/dispatch/resources-prompts-completion.test.ts > completion/complete > answers an error for %s',
      ],
    },
    {
      id: 'rate-is-limited',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/completion#security',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server limits the rate of completion.',
      tests: [
        'test/rate-limits/principals.test.ts > the limit of a principal > refuses requests above it from all networks and clients, and other principals none',
        'test/rate-limits/methods.test.ts > rate limits > refuse completions above them in %s',
      ],
    },
    {
      id: 'access-is-controlled',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/completion#security',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server controls access to suggestions and discloses nothing by them.',
      tests: [
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > requires its scopes for completion and for listing too',
      ],
    },
  ],
}
