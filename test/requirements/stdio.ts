import { mcp, type RequirementDocument } from './requirement.ts'

export const stdio: RequirementDocument = {
  title: 'stdio',
  pages: [
    ...mcp('basic/transports', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
    ...mcp('basic/transports/stdio', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'one-message-per-line',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports#stdio', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
        ...mcp('basic/transports/stdio', '2026-07-28'),
      ],
      says: 'A message over stdio contains no line break.',
      concerns: 'specification',
    },
    {
      id: 'server-writes-messages-only',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports#stdio', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
        ...mcp('basic/transports/stdio', '2026-07-28'),
      ],
      says: 'The server over stdio writes only messages.',
      concerns: 'specification',
    },
    {
      id: 'client-writes-messages-only',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/transports#stdio', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
        ...mcp('basic/transports/stdio', '2026-07-28'),
      ],
      says: 'The client over stdio writes only messages.',
      concerns: 'specification',
    },
    {
      id: 'client-writes-no-responses',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/stdio#sending-messages', '2026-07-28')],
      says: 'The client over stdio writes no responses.',
      concerns: 'specification',
    },
    {
      id: 'correlation-of-subscriptions',
      level: 'MUST',
      clauses: [...mcp('basic/transports/stdio#receiving-messages', '2026-07-28')],
      says: 'The client over stdio finds the subscription of a notification by the id in its _meta.',
      concerns: 'specification',
    },
    {
      id: 'server-writes-no-requests',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/stdio#receiving-messages', '2026-07-28')],
      says: 'The server over stdio writes no requests.',
      concerns: 'specification',
    },
    {
      id: 'cancellation-notification',
      level: 'MUST',
      clauses: [...mcp('basic/transports/stdio#cancellation', '2026-07-28')],
      says: 'The client over stdio cancels a request with a notification.',
      concerns: 'specification',
    },
    {
      id: 'nothing-after-cancellation',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/stdio#cancellation', '2026-07-28')],
      says: 'The server over stdio sends no messages for a cancelled request.',
      concerns: 'specification',
    },
    {
      id: 'fallback-for-any-error',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/stdio#backward-compatibility', '2026-07-28')],
      says: 'The client over stdio does not depend on one error code to detect a server of an earlier revision.',
      concerns: 'specification',
    },
  ],
}
