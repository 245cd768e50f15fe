import { mcp, type RequirementDocument } from './requirement.ts'

export const cancellation: RequirementDocument = {
  title: 'Cancellation',
  pages: [
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts',
    'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts',
    ...mcp('basic/patterns/cancellation', '2026-07-28'),
    ...mcp('schema', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('basic/transports/streamable-http', '2026-07-28'),
    ...mcp('basic/utilities/cancellation', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
  ],
  requirements: [
    {
      id: 'teardown-of-a-subscription',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/cancellation', '2026-07-28')],
      says: 'The server sends notifications/cancelled for a subscription that it ends.',
      untested:
        'The schema and the pages on transports restrict this notification to stdio; over HTTP the result of the request reports the end, and the stream is closed.',
    },
    {
      id: 'no-other-cancellation-by-the-server',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/patterns/cancellation', '2026-07-28'),
        ...mcp('schema#cancellednotification', '2026-07-28'),
      ],
      says: 'The server sends notifications/cancelled to a modern client for no other request.',
      tests: [
        'test/transport/listen.test.ts > subscriptions/listen over %s > ends the stream with its result after the maximum lifetime',
        'test/transport/streaming.test.ts > the answer of a modern call > becomes a stream at the first notification: notifications in order, then the response',
        'test/dispatch/handlers.test.ts > a handler that never settles > is stopped by its timeout, and the client is informed',
      ],
    },
    {
      id: 'server-cancels-subscriptions-only',
      level: 'MUST',
      clauses: [...mcp('basic/patterns/cancellation#behavior-requirements', '2026-07-28')],
      says: 'A cancellation of the server names a subscription.',
      tests: [
        'test/transport/listen.test.ts > subscriptions/listen over %s > ends the stream with its result after the maximum lifetime',
        'test/transport/streaming.test.ts > the answer of a modern call > becomes a stream at the first notification: notifications in order, then the response',
      ],
    },
    {
      id: 'disconnect-is-cancellation',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/cancellation#transport-specific-cancellation', '2026-07-28'),
        ...mcp('basic/transports/streamable-http#cancellation', '2026-07-28'),
      ],
      says: 'The server treats a closed response stream as the cancellation of its request.',
      tests: [
        'test/transport/streaming.test.ts > the stream of a slow call > cancels the modern call when the client disconnects',
        'test/faults/disconnects.test.ts > a client that disconnects with a %s > cancels its call after the SSE response has started (2026-07-28)',
        'test/faults/disconnects.test.ts > a client that disconnects with a %s > cancels its call before the SSE response has started (2026-07-28)',
        'test/transport/listen-stream.test.ts > the stream of subscriptions/listen > closes its feed immediately when the client disconnects',
      ],
    },
    {
      id: 'nothing-follows-a-cancellation',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/streamable-http#cancellation', '2026-07-28')],
      says: 'The server sends no further messages for a request whose stream was closed.',
      tests: [
        'test/faults/disconnects.test.ts > a cancelled modern call does not reach its effect',
        'test/transport/listen-stream.test.ts > the stream of subscriptions/listen > closes its feed when the client disconnected before the stream opened',
      ],
    },
    {
      id: 'cancellation-over-stdio',
      level: 'MUST',
      clauses: [
        ...mcp('basic/patterns/cancellation#transport-specific-cancellation', '2026-07-28'),
      ],
      says: 'The client cancels a request over stdio with a notification.',
      concerns: 'specification',
    },
    {
      id: 'cancellation-names-a-request-in-progress',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/cancellation#behavior-requirements',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/cancellation#behavior-requirements', '2026-07-28'),
      ],
      says: 'A cancellation names a request of its sender that is believed to be in progress.',
      tests: [
        'test/transport/session/cancellation.test.ts > a cancelled request > cancels its open server request',
        'test/transport/session/cancellation.test.ts > a cancelled request > cancels only those of its server requests that are unanswered',
        'test/transport/session/cancellation.test.ts > notifications/cancelled > %s is accepted and has no effect',
      ],
    },
    {
      id: 'cancellation-id',
      level: 'MUST',
      clauses: [
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts#L127',
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts#L146',
        ...mcp('schema#cancellednotification', '2025-06-18'),
        ...mcp('schema#cancellednotificationparams-requestid', '2025-11-25', '2026-07-28'),
      ],
      says: 'The id in a cancellation is that of a request in the same direction.',
      tests: [
        'test/transport/session/cancellation.test.ts > a cancelled request > cancels its open server request',
        'test/transport/session/cancellation.test.ts > notifications/cancelled > %s is accepted and has no effect > for a server request',
        'test/transport/session/cancellation.test.ts > a cancelled request > is identified by the type and value of its id, within its session',
      ],
    },
    {
      id: 'initialize-is-not-cancelled',
      level: 'MUST NOT',
      clauses: [
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2024-11-05/schema.ts#L115',
        'https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts#L134',
        ...mcp(
          'basic/utilities/cancellation#behavior-requirements',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('schema#cancellednotification', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client does not cancel its initialize request.',
      concerns: 'client',
    },
    {
      id: 'late-cancellations',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/cancellation#timing-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/patterns/cancellation#timing-considerations', '2026-07-28'),
      ],
      says: 'Both parties handle a cancellation that arrives after the request has ended.',
      tests: [
        'test/transport/session/cancellation.test.ts > notifications/cancelled > for an answered request is accepted and has no effect',
        'test/transport/session/cancellation.test.ts > notifications/cancelled > sent twice has the effect of one',
        'test/attacks/sessions/races.test.ts > the answer to an ask > and a concurrent cancellation end the call either with an answer or without one',
        'test/faults/disconnects.test.ts > a client that disconnects with a %s > cancels nothing after it has received its answer',
      ],
    },
  ],
}
