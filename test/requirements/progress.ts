import { mcp, type RequirementDocument } from './requirement.ts'

export const progress: RequirementDocument = {
  title: 'Progress',
  pages: [
    ...mcp('basic/utilities/progress', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
    ...mcp('basic/patterns/progress', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'token-type',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/progress#progress-flow',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/progress#progress-flow', '2026-07-28'),
      ],
      says: 'A progress token is a string or an integer.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a progress token that is an object',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a fractional progress token',
      ],
    },
    {
      id: 'token-is-unique',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/progress#progress-flow', '2026-07-28'),
        ...mcp(
          'basic/utilities/progress#progress-flow',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The progress token of a request is unique among the active requests of its sender.',
      concerns: 'client',
      tests: [
        'test/clients/notifications.test.ts > a client in %s mode > receives the progress of each of two concurrent calls',
      ],
    },
    {
      id: 'progress-increases',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/progress#progress-flow',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/progress#progress-flow', '2026-07-28'),
      ],
      says: 'The progress value increases with each notification.',
      tests: [
        'test/dispatch/handlers.test.ts > the handler context > drops progress that does not increase and rejects values that are not numbers',
        'test/dispatch/journal/steps.test.ts > notifications of earlier rounds > are not sent again in the next round',
      ],
    },
    {
      id: 'token-of-an-active-request',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/progress#behavior-requirements',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/progress#behavior-requirements', '2026-07-28'),
      ],
      says: 'A progress notification has the token of a request in progress.',
      tests: [
        'test/transport/streaming.test.ts > the answer of a modern call > is JSON when the call is quick and sends no notification',
        'test/transport/streaming.test.ts > the answer of a modern call > becomes a stream at the first notification: notifications in order, then the response',
        'test/faults/load.test.ts > 300 concurrent calls > receive their own answers and notifications when half of them have the same request id',
      ],
    },
    {
      id: 'progress-ends-with-the-request',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/progress#implementation-notes',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/progress#implementation-notes', '2026-07-28'),
      ],
      says: 'No progress notification follows the response.',
      tests: [
        'test/dispatch/handlers.test.ts > the handler context > sends no notification after the answer',
        'test/clients/notifications.test.ts > a client in %s mode > receives no progress that a tool reports after its answer',
      ],
    },
  ],
}
