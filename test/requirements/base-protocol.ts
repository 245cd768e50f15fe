import { mcp, type RequirementDocument } from './requirement.ts'

export const baseProtocol: RequirementDocument = {
  title: 'Base protocol: messages',
  pages: [
    ...mcp('basic', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('basic/messages', '2024-11-05'),
    ...mcp('schema', '2026-07-28'),
    ...mcp('changelog', '2026-07-28'),
    ...mcp('basic/transports', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'required-components',
      level: 'MUST',
      clauses: [
        ...mcp('basic#protocol-layers', '2024-11-05'),
        ...mcp('basic', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The server supports the base protocol and the lifecycle.',
      tests: [
        'test/transport/session-stateless.test.ts > initialize without session objects > echoes the known version %s',
        'test/transport/session/session-ids.test.ts > a session id > is served when it is valid',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > server-initialize',
      ],
    },
    {
      id: 'required-components-of-modern-servers',
      level: 'MUST',
      clauses: [...mcp('basic', '2026-07-28')],
      says: 'The server supports the base protocol, versioning and the message patterns.',
      tests: [
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > server-stateless',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > lists the supported versions when the version is unsupported',
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
        'test/transport/listen.test.ts > subscriptions/listen over %s > acknowledges the filter and then sends each requested change once, in order',
      ],
    },
    {
      id: 'messages-follow-json-rpc',
      level: 'MUST',
      clauses: [
        ...mcp('basic', '2024-11-05'),
        ...mcp('basic#messages', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('basic/messages', '2024-11-05'),
      ],
      says: 'Every message of the client and the server has the form of JSON-RPC 2.0.',
      tests: [
        'test/protocol/json-rpc.test.ts > parseMessage > rejects a message with %s',
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request',
        'test/protocol/json-rpc.test.ts > errorResponse > is written %s',
        'test/property/json-rpc.test.ts > parseMessage > gives a message the kind that an independent grammar gives it',
        'test/property/codecs.test.ts > the codecs of a %s > send to a session what the reference SDK accepts and reads back, and do not modify the result',
      ],
    },
    {
      id: 'request-has-an-id',
      level: 'MUST',
      clauses: [
        ...mcp('basic/messages#requests', '2024-11-05'),
        ...mcp('basic#requests', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'A request has a string or an integer as its id.',
      tests: [
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request > a fractional id',
        'test/protocol/json-rpc.test.ts > isRequestId > rejects %s',
        'test/attacks/sessions/requests.test.ts > a request id > is refused when it is %s',
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
      ],
    },
    {
      id: 'request-id-is-not-null',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/messages#requests', '2024-11-05'),
        ...mcp('basic#requests', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The id of a request is not null.',
      tests: [
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request > a null id',
        'test/attacks/sessions/requests.test.ts > a request id > is refused when it is %s > null',
      ],
    },
    {
      id: 'request-id-is-new-in-its-session',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/messages#requests', '2024-11-05'),
        ...mcp('basic#requests', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The sender of a request uses no id that it used before in the session.',
      tests: [
        'test/transport/session/in-flight.test.ts > a request id > is refused while its request runs, and accepted afterwards',
        'test/transport/session/in-flight.test.ts > a request id > is refused while its request waits for a response of the client',
        'test/transport/session/responses.test.ts > a response to a server request > is requested again under another id when it does not match the schema',
        'test/transport/session/responses.test.ts > a response to a server request > completes the call that asked, in any order of calls',
      ],
      deviation:
        'The server refuses the id of an unfinished request only: it does not store the ids of all requests of a session.',
    },
    {
      id: 'request-id-differs-from-unanswered-ones',
      level: 'MUST NOT',
      clauses: [...mcp('basic#requests', '2026-07-28')],
      says: 'The client uses no id of another request that has no response yet.',
      concerns: 'client',
    },
    {
      id: 'response-has-the-id-of-its-request',
      level: 'MUST',
      clauses: [
        ...mcp('basic/messages#responses', '2024-11-05'),
        ...mcp('basic#responses', '2025-03-26', '2025-06-18'),
        ...mcp('basic#result-responses', '2025-11-25', '2026-07-28'),
      ],
      says: 'The response to a request has the id of the request.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > echoes the request id %j in every error',
        'test/attacks/sessions/requests.test.ts > a request id > may be %s, in JSON and on a stream, and can be used again',
        'test/transport/session/in-flight.test.ts > a request id > keeps its type: 1 and "1" are different ids',
        'test/faults/load.test.ts > 300 concurrent calls > receive the right answers when all have the same request id',
      ],
    },
    {
      id: 'response-has-a-result-or-an-error',
      level: 'MUST',
      clauses: [
        ...mcp('basic/messages#responses', '2024-11-05'),
        ...mcp('basic#responses', '2025-03-26', '2025-06-18'),
      ],
      says: 'A response has a result or an error.',
      tests: [
        'test/property/codecs.test.ts > the codecs of a %s > send to a session what the reference SDK accepts and reads back, and do not modify the result',
        'test/transport/session/responses.test.ts > an invalid response > is refused with 400: %s > a response without result and error',
      ],
    },
    {
      id: 'response-has-one-of-result-and-error',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/messages#responses', '2024-11-05'),
        ...mcp('basic#responses', '2025-03-26', '2025-06-18'),
      ],
      says: 'A response does not have both a result and an error.',
      tests: [
        'test/protocol/json-rpc.test.ts > parseMessage > rejects a message with %s > a result and an error',
        'test/transport/session/responses.test.ts > an invalid response > is refused with 400: %s > a response with a result and an error',
        'test/protocol/json-rpc.test.ts > errorResponse > is written %s',
      ],
    },
    {
      id: 'result-response-has-a-result',
      level: 'MUST',
      clauses: [...mcp('basic#result-responses', '2025-11-25', '2026-07-28')],
      says: 'A response that reports success has a result.',
      tests: [
        'test/dispatch/handlers.test.ts > the return value of a tool handler > converts and sends %s',
        'test/transport/session/session-ids.test.ts > a session id > is served when it is valid',
      ],
    },
    {
      id: 'result-has-a-result-type',
      level: 'MUST',
      clauses: [
        ...mcp('basic#result-responses', '2026-07-28'),
        ...mcp('schema#result-resulttype', '2026-07-28'),
      ],
      says: 'The server writes a resultType into every result.',
      tests: [
        'test/protocol/codec/modern.test.ts > a result of the modern codec > is written %s',
        'test/dispatch/handlers.test.ts > the return value of a tool handler > converts and sends %s',
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
        'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes > result-type',
      ],
    },
    {
      id: 'errors-have-code-and-message',
      level: 'MUST',
      clauses: [
        ...mcp('basic#responses', '2025-03-26', '2025-06-18'),
        ...mcp('basic#error-responses', '2025-11-25', '2026-07-28'),
      ],
      says: 'An error has a code and a message.',
      tests: [
        'test/protocol/json-rpc.test.ts > errorResponse > is written %s',
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s',
      ],
    },
    {
      id: 'supported-result-types',
      level: 'MUST',
      clauses: [...mcp('basic#resulttype', '2026-07-28')],
      says: 'The set of supported result types is that of the core protocol and of the extensions that the capabilities name.',
      concerns: 'client',
    },
    {
      id: 'unknown-result-type-is-invalid',
      level: 'MUST',
      clauses: [...mcp('basic#resulttype', '2026-07-28')],
      says: 'The client treats a result with an unknown resultType as invalid.',
      concerns: 'client',
    },
    {
      id: 'absent-result-type-is-complete',
      level: 'MUST',
      clauses: [
        ...mcp('basic#resulttype', '2026-07-28'),
        ...mcp('changelog#major-changes', '2026-07-28'),
        ...mcp('schema#result-resulttype', '2026-07-28'),
      ],
      says: 'The client treats a result without resultType as complete.',
      concerns: 'client',
    },
    {
      id: 'batches-are-received',
      level: 'MUST',
      clauses: [...mcp('basic#batching', '2025-03-26')],
      says: 'The server accepts JSON-RPC batches.',
      tests: [
        'test/transport/session-stateless.test.ts > a batch without a session > is answered with one item per request or invalid message in 2025-03-26',
        'test/transport/session/batches.test.ts > a batch in a session > is answered with one JSON array when all calls are quick',
        'test/clients/sessions/revisions.test.ts > a session of $version > accepts a batch in 2025-03-26 only (client %s)',
      ],
    },
    {
      id: 'error-response-has-the-id-of-its-request',
      level: 'MUST',
      clauses: [...mcp('basic#error-responses', '2025-11-25', '2026-07-28')],
      says: 'An error response has the id of its request, unless the id could not be read.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > echoes the request id %j in every error',
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request',
        'test/property/json-rpc.test.ts > readMessage > refuses exactly what the grammar excludes, and answers with an id that a client may have sent',
      ],
    },
    {
      id: 'error-codes-are-integers',
      level: 'MUST',
      clauses: [
        ...mcp('basic/messages#responses', '2024-11-05'),
        ...mcp('basic#responses', '2025-03-26', '2025-06-18'),
        ...mcp('basic#error-responses', '2025-11-25', '2026-07-28'),
      ],
      says: 'The code of an error is an integer.',
      tests: [
        'test/reasons.test.ts > docs/reference/reasons.md > lists every refusal with its status and code, in the order of REFUSALS',
        'test/protocol/codec/modern.test.ts > the modern codec > writes the error code %i as %i',
        'test/protocol/json-rpc.test.ts > parseMessage > rejects a message with %s > an error with a code that is a text',
      ],
    },
    {
      id: 'no-new-legacy-error-codes',
      level: 'MUST NOT',
      clauses: [...mcp('basic#error-codes', '2026-07-28')],
      says: 'Implementations allocate no new error codes from -32000 to -32019.',
      concerns: 'specification',
    },
    {
      id: 'legacy-error-codes-have-no-meaning',
      level: 'MUST NOT',
      clauses: [...mcp('basic#error-codes', '2026-07-28')],
      says: 'A receiver assumes no meaning of the error codes from -32000 to -32019, except for -32002.',
      concerns: 'client',
    },
    {
      id: 'reserved-error-codes',
      level: 'MUST NOT',
      clauses: [...mcp('basic#error-codes', '2026-07-28')],
      says: 'The server sends no error code from -32020 to -32099 that the specification does not define, and a defined one with its meaning only.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > lists the supported versions when the version is unsupported',
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
        'test/reasons.test.ts > docs/reference/reasons.md > lists every refusal with its status and code, in the order of REFUSALS',
      ],
    },
    {
      id: 'error-codes-of-earlier-revisions',
      level: 'MUST NOT',
      clauses: [...mcp('basic#error-codes', '2026-07-28')],
      says: 'The server does not send the codes -32002 and -32042 to a modern client.',
      tests: [
        'test/property/codecs.test.ts > the codecs of asks and errors > never send the error code of a missing resource to the modern revision',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > returns the URI of a resource that was not found',
        'test/dispatch/journal/asking-refused.test.ts > a UrlElicitationRequiredError > is a question to a modern client, and the call continues when the client has opened the URL',
      ],
    },
    {
      id: 'notification-is-not-answered',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic#notifications', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The receiver of a notification sends no response.',
      tests: [
        'test/transport/session-stateless.test.ts > notifications and responses without a session > are accepted with an empty 202: %j',
        'test/transport/session/batches.test.ts > a batch in a session > is accepted with an empty 202 when it contains only notifications',
        'test/transport/modern-ladder.test.ts > a notification of a modern client > is accepted with an empty 202 and reported',
      ],
    },
    {
      id: 'notification-has-no-id',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/messages#notifications', '2024-11-05'),
        ...mcp('basic#notifications', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'A notification has no id.',
      tests: [
        'test/protocol/json-rpc.test.ts > the text of a message > of a notification leaves out params that are undefined',
        'test/transport/session/change-forwarder.test.ts > a session under %s > receives every list change on its standalone stream',
        'test/transport/listen.test.ts > subscriptions/listen over %s > acknowledges the filter and then sends each requested change once, in order',
      ],
    },
    {
      id: 'utf-8',
      level: 'MUST',
      clauses: [
        ...mcp('basic/transports', '2025-03-26', '2025-06-18', '2025-11-25'),
        ...mcp('basic/transports#messages', '2026-07-28'),
      ],
      says: 'Messages are encoded in UTF-8.',
      tests: [
        'test/transport/bad-bodies.test.ts > POST with an invalid body or invalid body headers > refuses %s and serves the next request > bytes that are not UTF-8',
        'test/faults/bodies.test.ts > a body that is not UTF-8 > framed by %s > is refused: %s',
        'test/transport/well-formed.test.ts > texts with a lone surrogate > are sent well-formed in the modern era by %s %j',
        'test/transport/well-formed.test.ts > texts with a lone surrogate > are sent well-formed on the streams of a session, in questions too',
      ],
    },
  ],
}
