import { mcp, type RequirementDocument } from './requirement.ts'

export const logging: RequirementDocument = {
  title: 'Logging',
  pages: [
    ...mcp(
      'server/utilities/logging',
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      '2026-07-28',
    ),
    ...mcp('schema', '2026-07-28'),
    ...mcp('changelog', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/logging#capabilities',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server that sends log messages declares the logging capability.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
        'test/transport/session/change-forwarder.test.ts > a session under %s > declares listChanged and subscribe',
      ],
    },
    {
      id: 'no-messages-without-a-level',
      level: 'MUST NOT',
      clauses: [
        ...mcp('server/utilities/logging#per-request-log-level', '2026-07-28'),
        ...mcp('schema#requestmetaobject-iomodelcontextprotocolloglevel', '2026-07-28'),
        ...mcp('changelog#major-changes', '2026-07-28'),
      ],
      says: 'The server sends no log messages for a modern request without a level.',
      tests: [
        'test/transport/streaming.test.ts > the answer of a modern call > contains log messages at or above the requested level, and none without a level',
      ],
    },
    {
      id: 'messages-stay-on-their-stream',
      level: 'MUST NOT',
      clauses: [...mcp('server/utilities/logging#per-request-log-level', '2026-07-28')],
      says: 'The server sends the log messages of a modern request on no other stream.',
      tests: [
        'test/faults/load.test.ts > 300 concurrent calls > receive their own answers and notifications when half of them have the same request id',
        'test/transport/listen.test.ts > subscriptions/listen over %s > sends only requested kinds of change, and only changes for all or for its own subject',
      ],
    },
    {
      id: 'no-secrets-in-messages',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'server/utilities/logging#security',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'A log message has no credentials, no personal data and no internal details.',
      concerns: 'author',
      tests: [
        'test/dispatch/handlers.test.ts > a handler that throws an error > does not disclose %s to the client',
      ],
    },
  ],
}
