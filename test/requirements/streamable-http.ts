import { mcp, type RequirementDocument } from './requirement.ts'

export const streamableHttp: RequirementDocument = {
  title: 'Streamable HTTP',
  pages: [
    ...mcp('basic/transports', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
    ...mcp('basic/transports/streamable-http', '2026-07-28'),
    ...mcp('changelog', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'endpoint-with-post-and-get',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#streamable-http', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The server has one endpoint path for POST and GET.',
      tests: [
        'test/transport/session/session-ids.test.ts > a session id > is served when it is valid',
        'test/transport/session/session-ids.test.ts > the endpoint with a session id > answers GET with a stream for Accept: "%s"',
        'test/clients/sessions/identity.test.ts > the official client %s > opens one standalone stream, which stays open during calls',
      ],
    },
    {
      id: 'endpoint-with-post',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http', '2026-07-28')],
      says: 'The server has one endpoint path for POST.',
      tests: [
        'test/security/entrance.test.ts > the paths and methods of the app > serve the endpoint with a trailing slash without a redirect',
        'test/security/entrance.test.ts > the paths and methods of the app > answer the unknown path %s with 404 in JSON',
      ],
    },
    {
      id: 'origin-is-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#security-warning',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/transports/streamable-http#security-%26-endpoint', '2026-07-28'),
      ],
      says: 'The server validates the Origin header of every request.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i',
        'test/security/entrance.test.ts > a request of a foreign origin > is refused with 403 and has no effect: %s %s',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > dns-rebinding-protection',
      ],
    },
    {
      id: 'invalid-origin-is-refused',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#security-warning', '2025-11-25'),
        ...mcp('basic/transports/streamable-http#security-%26-endpoint', '2026-07-28'),
      ],
      says: 'The server answers an invalid Origin with 403.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i',
        'test/security/entrance.test.ts > the options allowedOrigins and allowedHosts > allow only the listed origins on a public host',
      ],
    },
    {
      id: 'message-is-a-post',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28'),
        ...mcp('basic/transports#http-with-sse', '2024-11-05'),
      ],
      says: 'The client sends every message as a POST of its own.',
      concerns: 'client',
      tests: [
        'test/security/entrance.test.ts > the paths and methods of the app > answer %s with 405 and the allowed methods when no sessions are bound',
      ],
    },
    {
      id: 'accept-lists-both-forms',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28'),
      ],
      says: 'The client lists JSON and event streams in the Accept header.',
      concerns: 'client',
      tests: [
        'test/security/entrance.test.ts > strict mode > refuses %s, which is served and reported without it > accept-incomplete',
      ],
    },
    {
      id: 'metadata-headers-are-sent',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28')],
      says: 'The client sends the metadata headers with every POST.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing Mcp-Method header',
      ],
    },
    {
      id: 'body-is-a-message-or-batch',
      level: 'MUST',
      clauses: [...mcp('basic/transports#sending-messages-to-the-server', '2025-03-26')],
      says: 'The body of a POST is one message, or a batch of requests and notifications, or a batch of responses.',
      concerns: 'client',
      tests: [
        'test/transport/session-stateless.test.ts > a batch without a session > is refused when it mixes requests and responses',
        'test/transport/session/batches.test.ts > a batch in a session > is refused when it mixes responses and requests, and none of its responses is accepted',
      ],
    },
    {
      id: 'body-is-one-message',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#sending-messages-to-the-server', '2025-06-18', '2025-11-25'),
      ],
      says: 'The body of a POST is one request, notification or response.',
      concerns: 'client',
      tests: [
        'test/transport/session/batches.test.ts > a batch in a session > is refused under %s',
        'test/transport/session-stateless.test.ts > a batch without a session > is refused when %s > the revision is 2025-06-18',
      ],
    },
    {
      id: 'body-is-one-request-or-notification',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28')],
      says: 'The body of a modern POST is one request or notification.',
      concerns: 'client',
      tests: [
        'test/transport/session-stateless.test.ts > a batch without a session > is refused when %s > the revision is 2026-07-28',
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request > a batch',
      ],
    },
    {
      id: 'modern-client-sends-no-responses',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28')],
      says: 'The modern client sends no responses.',
      concerns: 'client',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses a response',
      ],
    },
    {
      id: 'accepted-messages-have-202',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers accepted notifications and responses with 202 and no body.',
      tests: [
        'test/transport/session-stateless.test.ts > notifications and responses without a session > are accepted with an empty 202: %j',
        'test/transport/session/responses.test.ts > a response to a server request > is accepted with an empty 202, and completes the call',
        'test/transport/session/batches.test.ts > a batch in a session > is accepted with an empty 202 when it contains only notifications',
      ],
    },
    {
      id: 'refused-messages-have-an-error-status',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers refused notifications and responses with an HTTP error status.',
      tests: [
        'test/transport/session/responses.test.ts > an invalid response > is refused with 400: %s',
        'test/attacks/sessions/requests.test.ts > a notification > %s is answered $2 > that cancels with an array of params',
        'test/transport/session/session-ids.test.ts > a session id that is %s > is answered with the same 404 for every message and method',
      ],
    },
    {
      id: 'accepted-notification-has-202',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28')],
      says: 'The server answers an accepted notification of a modern client with 202 and no body.',
      tests: [
        'test/transport/modern-ladder.test.ts > a notification of a modern client > is accepted with an empty 202 and reported',
      ],
    },
    {
      id: 'refused-notification-has-an-error-status',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28')],
      says: 'The server answers a refused notification of a modern client with an HTTP error status.',
      tests: [
        'test/security/entrance.test.ts > strict mode > refuses %s, which is served and reported without it > notification-in-modern-era',
        'test/transport/modern-ladder.test.ts > a notification of a modern client > is refused with 400 when its params are no object',
      ],
    },
    {
      id: 'answer-is-json-or-a-stream',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28'),
      ],
      says: 'The server answers a request with JSON or with an event stream.',
      tests: [
        'test/transport/streaming.test.ts > the answer of a modern call > is JSON when the call is quick and sends no notification',
        'test/transport/streaming.test.ts > the answer of a modern call > becomes a stream at the first notification: notifications in order, then the response',
        'test/transport/session/replay.test.ts > the form of an answer in a session > is a stream when the call takes longer than streamAfterMs',
        'test/transport/session/replay.test.ts > the form of an answer in a session > is JSON for a call with notifications when Accept names only JSON',
        'test/transport/session/batches.test.ts > a batch in a session > is answered with one stream when a call asks, and the stream ends with the last response',
      ],
    },
    {
      id: 'client-supports-both-forms',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#sending-messages-to-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp('basic/transports/streamable-http#sending-messages', '2026-07-28'),
      ],
      says: 'The client supports answers in JSON and in event streams.',
      concerns: 'client',
    },
    {
      id: 'client-respects-retry',
      level: 'MUST',
      clauses: [...mcp('basic/transports#sending-messages-to-the-server', '2025-11-25')],
      says: 'The client waits for the time of the retry field before it reconnects.',
      concerns: 'client',
      tests: [
        'test/clients/sessions/closed-streams.test.ts > each client over Streamable HTTP > reconnects after the retry time for the answer of a tool that closed its stream',
      ],
    },
    {
      id: 'get-accepts-streams',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#listening-for-messages-from-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client lists event streams in the Accept header of a GET.',
      concerns: 'client',
      tests: [
        'test/transport/session/session-ids.test.ts > the endpoint with a session id > answers GET with 406 for Accept: %s',
      ],
    },
    {
      id: 'get-is-a-stream-or-405',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#listening-for-messages-from-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server answers GET with an event stream or with 405.',
      tests: [
        'test/transport/session/session-ids.test.ts > the endpoint with a session id > answers GET with a stream for Accept: "%s"',
        'test/transport/session/session-ids.test.ts > the endpoint without a session id > answers %s with 405 and the allowed methods',
        'test/security/entrance.test.ts > the paths and methods of the app > answer %s with 405 and the allowed methods when no sessions are bound',
      ],
    },
    {
      id: 'no-response-on-a-standalone-stream',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'basic/transports#listening-for-messages-from-the-server',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server sends no response on the stream of a GET, except when it resumes the stream of a request.',
      tests: [
        'test/transport/session/standalone.test.ts > a standalone stream > contains no message of a call',
        'test/transport/session/standalone.test.ts > a standalone stream > replays its own changes and none of another stream',
      ],
    },
    {
      id: 'message-is-on-one-stream',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#multiple-connections', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The server sends each message on one stream of a session only.',
      tests: [
        'test/transport/session/standalone.test.ts > several standalone streams of one session > deliver each change on the newest of them only',
        'test/clients/sessions/changes.test.ts > the official client %s > receives a change once when its session has two connections',
        'test/attacks/sessions/event-ids.test.ts > concurrent connections of one session > are refused with 429 beyond eight standalone streams, and each change is sent once',
      ],
    },
    {
      id: 'event-ids-are-unique',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#resumability-and-redelivery',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server gives each event an id that is unique among all streams of the session.',
      tests: [
        'test/transport/session/event-ids.test.ts > the events of a stream > have numbered ids from a safe alphabet that differ per stream',
        'test/transport/session/event-ids.test.ts > Last-Event-ID > is valid only in its own session',
      ],
    },
    {
      id: 'replay-is-of-one-stream',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'basic/transports#resumability-and-redelivery',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The server replays no message of another stream.',
      tests: [
        'test/transport/session/replay.test.ts > the stream of a call under %s > contains only the messages of its own request',
        'test/transport/session/standalone.test.ts > a standalone stream > replays its own changes and none of another stream',
      ],
    },
    {
      id: 'session-id-alphabet',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#session-management', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'A session id has visible ASCII characters only.',
      tests: [
        'test/transport/session/session-ids.test.ts > a session id > consists of visible ASCII characters',
        'test/clients/sessions/identity.test.ts > the official client %s > receives a session id, and sends it and the version in every request',
      ],
    },
    {
      id: 'session-id-is-protected',
      level: 'MUST',
      clauses: [...mcp('basic/transports#session-management', '2025-11-25')],
      says: 'The client handles the session id securely.',
      concerns: 'client',
      tests: [
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
      ],
    },
    {
      id: 'session-id-is-sent',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#session-management', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client sends the session id with every later request.',
      concerns: 'client',
      tests: [
        'test/clients/sessions/identity.test.ts > the official client %s > receives a session id, and sends it and the version in every request',
      ],
    },
    {
      id: 'ended-session-is-not-found',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#session-management', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The server answers requests of an ended session with 404.',
      tests: [
        'test/transport/session/session-ids.test.ts > the endpoint with a session id > answers the first DELETE with 204, and everything after it with 404',
        'test/transport/session/session-ids.test.ts > a session id > is answered with 404 from its expiry',
        'test/transport/session/session-ids.test.ts > a session id that is %s > is answered with the same 404 for every message and method',
        'test/attacks/auth/session-quota.test.ts > the sessions of one principal that store rows > end with the least recently used one beyond the limit, and no session of another principal',
      ],
    },
    {
      id: 'client-opens-a-new-session',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports#session-management', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client opens a new session after a 404.',
      concerns: 'client',
    },
    {
      id: 'unsupported-version-header',
      level: 'MUST',
      clauses: [...mcp('basic/transports#protocol-version-header', '2025-06-18', '2025-11-25')],
      says: 'The server refuses an invalid or unsupported MCP-Protocol-Version with 400.',
      tests: [
        'test/transport/session/in-flight.test.ts > the version header in a session > %s is refused in strict mode when it differs',
        'test/transport/session-stateless.test.ts > the version header without a session > refuses the request in strict mode when it is unknown',
        'test/security/entrance.test.ts > strict mode > refuses %s, which is served and reported without it > protocol-version-header-unknown',
      ],
      deviation:
        'Without strict, an unknown version is served with the revision of the session, or the newest one, and reported: clients in use send versions that they did not negotiate.',
    },
    {
      id: 'notifications-relate-to-their-request',
      level: 'MUST',
      clauses: [...mcp('basic/transports/streamable-http#receiving-messages', '2026-07-28')],
      says: 'A notification on the stream of a modern request relates to the request.',
      tests: [
        'test/faults/load.test.ts > 300 concurrent calls > receive their own answers and notifications when half of them have the same request id',
        'test/transport/listen.test.ts > subscriptions/listen over %s > sends only requested kinds of change, and only changes for all or for its own subject',
      ],
    },
    {
      id: 'no-requests-on-a-modern-stream',
      level: 'MUST NOT',
      clauses: [...mcp('basic/transports/streamable-http#receiving-messages', '2026-07-28')],
      says: 'The server sends no requests on the stream of a modern request.',
      tests: [
        'test/dispatch/journal/steps.test.ts > notifications of earlier rounds > are not sent again in the next round',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > server-stateless',
      ],
    },
    {
      id: 'lost-request-is-sent-again',
      level: 'MUST',
      clauses: [...mcp('changelog#major-changes', '2026-07-28')],
      says: 'The modern client sends a request again under another id when its stream broke.',
      concerns: 'client',
    },
  ],
}
