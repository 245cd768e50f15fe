/** Faults of JSON-RPC messages, the handshake, streams and sessions. */
import { CLIENT_NAMES, MODERN } from '../../../client/src/names.ts'
import { WITH_LAST_SESSION_ID, WITH_TYPESCRIPT_SDK } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import { HTTP, issue, legacy, mcp, modern, rfc, TRANSPORTS } from '../sources.ts'

export const MESSAGES = faultGroup('breaks', {
  'response-not-json': {
    meaning: 'The body of a response is not valid JSON.',
    ...legacy('Streamable HTTP, sending messages', `${TRANSPORTS}#sending-messages-to-the-server`),
    fix: 'Send exactly one JSON-RPC response as the body, in UTF-8, without logs. Content-Length counts bytes, not characters.',
  },
  'response-content-type': {
    meaning: 'A response has another Content-Type than application/json or text/event-stream.',
    ...legacy('Streamable HTTP, sending messages', `${TRANSPORTS}#sending-messages-to-the-server`),
    fix: 'Send Content-Type: application/json with a JSON body, and text/event-stream with an event stream.',
  },
  'response-batched': {
    meaning: 'A single request is answered with an array of responses.',
    clause: 'JSON-RPC 2.0 §5 and §6; MCP, base protocol, responses, which has no batches',
    source: modern('basic#responses'),
    fix: 'Answer one request with one object. Few clients accept an array.',
    degrades: 'all',
  },
  'response-members-unknown': {
    meaning: 'A response has other members beside jsonrpc, id and its result or error.',
    clause: 'JSON-RPC 2.0 §5; the TypeScript SDK rejects a response with any other member',
    source: modern('basic#responses'),
    fix: 'Put other data, such as a trace id, into _meta of the result or into a header.',
    breaks: WITH_TYPESCRIPT_SDK,
    degrades: 'all',
  },
  'event-stream-invalid': {
    meaning: 'An event stream contains a JSON-RPC message that no client can read as an event.',
    clause: 'HTML, server-sent events, interpreting an event stream',
    source:
      'https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation',
    fix: 'Write each message as one line "data: " with its JSON, without line breaks, and end the event with an empty line. Leave out event, or send "event: message". A body that is JSON alone has Content-Type: application/json.',
  },
  'response-missing': {
    meaning:
      'A request is answered without a valid JSON-RPC response: an empty body, status 202, a stream that ends before it, or a message without jsonrpc, or with both result and error.',
    ...legacy('Streamable HTTP, sending messages', `${TRANSPORTS}#sending-messages-to-the-server`),
    fix: 'Answer each request with status 200 and its JSON-RPC response, in the body or as the last message of its own stream. It has jsonrpc "2.0" and either result or error: leave out the other one instead of sending null.',
  },
  'response-id-changed': {
    meaning: 'A response has another id than its request.',
    clause: 'JSON-RPC 2.0 §5; MCP, base protocol, responses',
    source: modern('basic#responses'),
    fix: 'Copy the id of the request, with its type.',
  },
  'initialize-refused': {
    meaning: 'initialize is refused in the revision that the client sends.',
    ...legacy('lifecycle, version negotiation', 'basic/lifecycle#version-negotiation'),
    fix: 'Answer initialize with a result for every protocolVersion: the same version if the server supports it, otherwise the latest that it supports.',
  },
  'second-client-refused': {
    meaning: 'initialize is answered for the first client and refused for the next one.',
    ...legacy('Streamable HTTP, session management', `${TRANSPORTS}#session-management`),
    fix: 'Create a server and a transport of the SDK for each session, or without sessions for each request: a transport serves one client.',
  },
  'initialize-version-unknown': {
    meaning: 'initialize is answered with a protocolVersion that no client accepts in this answer.',
    ...legacy('lifecycle, version negotiation', 'basic/lifecycle#version-negotiation'),
    fix: 'Answer with the version of the client if the server supports it, otherwise with a published version that has initialize, which the newest revision does not have.',
  },
  'initialize-result-invalid': {
    meaning: 'The result of initialize does not match its schema.',
    ...legacy('schema, InitializeResult', 'schema#initializeresult'),
    fix: 'Send protocolVersion, capabilities (an object) and serverInfo with name and version. Leave out optional members instead of sending null.',
  },
  'newer-version-refused': {
    meaning: 'initialize with a version that the server does not know is answered with an error.',
    ...legacy('lifecycle, version negotiation', 'basic/lifecycle#version-negotiation'),
    fix: 'Answer with a result that names the latest version that the server supports.',
    degrades: 'all',
  },
  'discover-result-invalid': {
    meaning: 'The result of server/discover does not match its schema.',
    ...mcp('discovery, response', 'server/discover#response'),
    fix: 'Send resultType, supportedVersions (an array of versions) and capabilities, or answer server/discover with error -32601.',
    breaks: MODERN,
  },
  'notification-refused': {
    meaning: 'notifications/initialized is refused.',
    ...legacy('lifecycle, initialization', 'basic/lifecycle#initialization'),
    fix: 'Accept notifications/initialized with status 202 and an empty body.',
  },
  'notification-not-202': {
    meaning: 'A notification is answered with another status than 202, or with a body.',
    ...legacy('Streamable HTTP, sending messages', `${TRANSPORTS}#sending-messages-to-the-server`),
    fix: 'Answer every notification and every response of a client with status 202 and a body of zero bytes.',
    breaks: ['Codex'],
  },
  'error-not-json': {
    meaning: 'An error of the endpoint has a body that is not JSON.',
    clause: 'Codex ends the connection at a text body of a 401 or 404',
    source: issue('openai/codex', 26955),
    fix: 'Send every error, also 401, 404 and 405, as a JSON-RPC error with Content-Type: application/json.',
    breaks: ['Codex'],
  },
  'unsolicited-request': {
    meaning:
      'The server sends requests at the beginning of a session to a client that declared no capability.',
    clause: 'MCP, lifecycle, capability negotiation; Claude never answers roots/list',
    source: issue('anthropics/claude-ai-mcp', 708),
    fix: 'Send roots/list, sampling and elicitation only to clients that declare the capability, and only while a request of the client is being answered.',
    breaks: ['Claude (web)', 'Claude Desktop'],
    degrades: 'all',
  },
  'version-header-required': {
    meaning: 'A request without MCP-Protocol-Version is refused after initialize.',
    ...legacy('Streamable HTTP, protocol version header', `${TRANSPORTS}#protocol-version-header`),
    fix: 'Serve a request without the header with the version of its session, or with the default of the specification.',
    breaks: ['Gemini CLI'],
  },
  'version-header-refused': {
    meaning:
      'A request is refused with the MCP-Protocol-Version that initialize negotiated, and served without it.',
    ...legacy('Streamable HTTP, protocol version header', `${TRANSPORTS}#protocol-version-header`),
    fix: 'Accept MCP-Protocol-Version with every version that the server answers to initialize.',
    breaks: CLIENT_NAMES.filter((name) => name !== 'Gemini CLI'),
  },
  'session-id-invalid': {
    meaning: 'Mcp-Session-Id contains characters that are not visible ASCII.',
    ...legacy('Streamable HTTP, session management', `${TRANSPORTS}#session-management`),
    fix: 'Build the session id from letters, digits and hyphens, for example a UUID.',
    degrades: 'all',
  },
  'session-id-changed': {
    meaning: 'A response after initialize has another Mcp-Session-Id than that of initialize.',
    ...legacy(
      'Streamable HTTP, session management; VS Code and the TypeScript SDK 1.x send the last id',
      `${TRANSPORTS}#session-management`,
    ),
    fix: 'Issue the session id once, in the response to initialize. Other responses have no Mcp-Session-Id, or that of the request.',
    degrades: WITH_LAST_SESSION_ID,
  },
  'session-id-replaced': {
    meaning:
      'A response after initialize has another Mcp-Session-Id, and the server refuses the id that the client sends.',
    clause:
      'MCP, Streamable HTTP, session management; VS Code and the TypeScript SDK 1.x send the last id',
    source: issue('modelcontextprotocol/typescript-sdk', 2469),
    fix: 'Issue the session id once, in the response to initialize, and accept it until the session ends. Other responses have no Mcp-Session-Id, or that of the request.',
  },
  'session-not-found-at-once': {
    meaning: 'A session is unknown right after initialize.',
    ...legacy('Streamable HTTP, session management', `${TRANSPORTS}#session-management`),
    fix: 'Keep sessions where every process or isolate finds them, for example in a Durable Object, or issue no Mcp-Session-Id.',
  },
  'session-required': {
    meaning: 'A request without Mcp-Session-Id is refused.',
    clause: 'Claude often does not send the session id',
    source: issue('anthropics/claude-ai-mcp', 975),
    fix: 'Serve a request without Mcp-Session-Id without a session where it needs none.',
    degrades: ['Claude (web)', 'Claude Desktop'],
  },
  'session-lost-not-404': {
    meaning: 'A request of a session that has ended is not refused with 404.',
    ...legacy('Streamable HTTP, session management', `${TRANSPORTS}#session-management`),
    fix: 'Answer a request whose Mcp-Session-Id is unknown with 404. Clients start a new session at 404 alone.',
    degrades: 'all',
  },
  'session-lost-at-restart': {
    meaning: 'A session does not survive a restart of the server.',
    clause: 'Few clients start a new session by themselves',
    source: issue('modelcontextprotocol/typescript-sdk', 1708),
    fix: 'Keep sessions in storage, or serve without sessions.',
    degrades: 'all',
  },
  'stream-refused': {
    meaning: 'GET is answered with neither an event stream nor 405.',
    ...legacy(
      'Streamable HTTP, listening for messages from the server',
      `${TRANSPORTS}#listening-for-messages-from-the-server`,
    ),
    fix: 'Answer GET with Content-Type: text/event-stream, or with 405 and Allow: POST.',
    breaks: ['Cursor'],
    degrades: ['Claude Code', 'VS Code', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'stream-no-first-byte': {
    meaning: 'The headers or the first byte of the GET stream arrive late.',
    clause: 'Proxies and clients treat a silent stream as a failed one',
    source: issue('cloudflare/agents', 1583),
    fix: 'Send the headers and a comment line (": open") at once, and disable buffering in the proxy (X-Accel-Buffering: no).',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'stream-no-keep-alive': {
    meaning: 'The GET stream is silent for longer than proxies keep an idle connection.',
    clause: 'MCP, Streamable HTTP, receiving messages; Cursor ends an idle stream',
    source: modern(`${HTTP}#receiving-messages`),
    fix: 'Send a comment line (": keep-alive") on every open stream at least every 25 seconds.',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'stream-event-unknown': {
    meaning: 'The GET stream has events of another type than message, such as ping.',
    clause: 'MCP, Streamable HTTP; some clients read the data of every event as JSON-RPC',
    source: issue('cloudflare/agents', 1583),
    fix: 'Keep the stream open with comment lines (": keep-alive") instead.',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'allow-header-missing': {
    meaning: 'GET is answered with 405 and without the header Allow.',
    ...rfc(9110, '15.5.6'),
    fix: 'Send Allow with the methods of the endpoint, for example "Allow: POST".',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'session-end-fails': {
    meaning: 'DELETE of a session is answered with an error of the server, or not at all.',
    ...legacy('Streamable HTTP, session management', `${TRANSPORTS}#session-management`),
    fix: 'End the session and answer 200 or 204. A server whose sessions clients cannot end answers 405.',
    degrades: ['Claude Code', 'VS Code', 'Codex', 'Inspector'],
  },
  'stream-ends': {
    meaning: 'The GET stream ends right after it was opened, so clients open it again and again.',
    clause: 'Clients reconnect a few times and give up',
    source: issue('anthropics/claude-code', 31752),
    fix: 'Keep the stream open, or answer GET with 405 if there is nothing to send.',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'second-stream-refused': {
    meaning: 'A second GET of a session is refused while the first one is open.',
    ...legacy('Streamable HTTP, multiple connections', `${TRANSPORTS}#multiple-connections`),
    fix: 'Let a second GET of the same session replace the first one, or serve both: a client can reconnect before the server notices the broken connection.',
    degrades: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'],
  },
  'preflight-refused': {
    meaning: 'The CORS preflight of a browser client is refused or does not allow its headers.',
    clause: 'Fetch, CORS preflight; the Inspector connects from a browser in direct mode',
    source: 'https://fetch.spec.whatwg.org/#cors-preflight-fetch',
    fix: 'Answer OPTIONS without a token with 204, Access-Control-Allow-Origin, Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS and Access-Control-Allow-Headers: authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id.',
    degrades: ['Inspector'],
  },
  'cors-headers-hidden': {
    meaning:
      'A browser client cannot read the response or its Mcp-Session-Id or WWW-Authenticate header.',
    clause: 'Fetch, CORS protocol',
    source: 'https://fetch.spec.whatwg.org/#http-cors-protocol',
    fix: 'Send Access-Control-Allow-Origin on every response, also on 401, and Access-Control-Expose-Headers: mcp-session-id, www-authenticate, mcp-protocol-version.',
    degrades: ['Inspector'],
  },
  'origin-refused': {
    meaning: 'A request with the Origin of the Inspector is refused.',
    ...mcp('Streamable HTTP, security', `${HTTP}#security-%26-endpoint`),
    fix: 'Add the origins of trusted browser clients to the allowed origins, for example http://localhost:6274.',
    degrades: ['Inspector'],
  },
  'well-known-not-json': {
    meaning:
      'A server without authorization answers its well-known paths with something else than a JSON 404.',
    clause: 'Clients ask for the metadata of authorization of every server',
    source: issue('anthropics/claude-ai-mcp', 823),
    fix: 'Answer /.well-known/oauth-protected-resource and /.well-known/oauth-authorization-server with 404 and a JSON body, before the fallback of the site.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Codex'],
  },
})
