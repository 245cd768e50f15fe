/** Faults of the network, of what stands before the server, and of the URL. */
import { MODERN } from '../../../client/src/names.ts'
import { HOSTED } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import {
  AUTH,
  CLAUDE_CONNECTORS,
  HTTP,
  issue,
  legacy,
  mcp,
  modern,
  rfc,
  TRANSPORTS,
} from '../sources.ts'

export const REACHING = faultGroup('breaks', {
  'host-not-found': {
    meaning: 'The name of the host has no address.',
    ...rfc(9110, '7.3.3'),
    fix: 'Check the spelling of the URL, and create the DNS record of the host.',
  },
  'connection-failed': {
    meaning: 'The server does not accept the connection, or closes it without a response.',
    ...rfc(9110, '7.3.3'),
    fix: 'Start the server, and check the port, the firewall, the proxy in front of it, and the scheme of the URL.',
  },
  'tls-invalid': {
    meaning: 'The TLS certificate is not valid for the host, or the port does not serve TLS.',
    ...rfc(9110, '4.3.4'),
    fix: 'Install a certificate of a public authority for this host name, with its intermediate certificates. For a port that serves plain http, paste the URL with http://.',
  },
  'no-answer': {
    meaning: 'The server accepts the connection and does not answer in time.',
    ...rfc(9110, '15.6.5'),
    fix: 'Answer initialize at once, and its notification and the lists too. Do slow work, such as loading data, at the first call that needs it.',
  },
  'response-malformed': {
    meaning:
      'The response is not valid HTTP, its headers are too large, or its body cannot be decoded.',
    ...rfc(9112, '2.2'),
    fix: 'Check the proxy in front of the server: Content-Encoding and Content-Length must match what is sent.',
  },
  'response-endless': {
    meaning: 'The body of a response does not end, or is larger than clients read.',
    ...legacy('Streamable HTTP, sending messages', `${TRANSPORTS}#sending-messages-to-the-server`),
    fix: 'End the body after the JSON-RPC response. Page long lists with nextCursor.',
  },
  'not-https': {
    meaning: 'The URL of a public server is plain http.',
    clause: 'MCP, authorization, communication security',
    source: modern(`${AUTH}/security-considerations#communication-security`),
    fix: 'Serve the URL over https with a certificate of a public authority.',
    breaks: HOSTED,
    degrades: 'all',
  },
  'https-expected': {
    meaning: 'The URL begins with http, and its port expects https.',
    ...rfc(9110, '4.2.2'),
    fix: 'Paste the URL with https://, or with the port that serves plain http.',
  },
  'port-not-443': {
    meaning: 'The URL of a public server has a port other than 443.',
    clause: 'Claude connects to port 443 alone',
    source: CLAUDE_CONNECTORS,
    fix: 'Serve the URL on port 443, for example through a reverse proxy.',
    breaks: ['Claude (web)', 'Claude Desktop'],
  },
  'redirect-drops-request': {
    meaning:
      'The URL answers with a redirect that loses the method, the body or the Authorization header.',
    ...rfc(9110, '15.4'),
    fix: 'Serve the MCP endpoint at the URL that people paste, without a redirect, or publish its target as the URL.',
  },
  'endpoint-redirects': {
    meaning: 'The URL answers with a redirect to another path of the same host.',
    ...rfc(9110, '15.4.8'),
    fix: 'Serve the MCP endpoint at the pasted URL without a redirect, with and without a trailing slash.',
    degrades: 'all',
  },
  'bot-challenge': {
    meaning: 'A firewall answers with a refusal, or with a challenge or sign-in for browsers.',
    clause: 'Clients are programs and cannot solve a challenge',
    source: issue('anthropics/claude-ai-mcp', 85),
    fix: 'Add a firewall exception for the MCP endpoint and /.well-known/ (at Cloudflare: a WAF skip rule, with Bot Fight Mode off; at Vercel: Deployment Protection off). Requests of Claude come from 160.79.104.0/21.',
  },
  'host-refused': {
    meaning: 'The server refuses the host name of the URL.',
    ...mcp('Streamable HTTP, security and endpoint', `${HTTP}#security-%26-endpoint`),
    fix: 'Add the host name of the URL to the allowed hosts of the server (allowedHosts, transport_security, ALLOWED_HOSTS), or let the proxy send the Host that the server expects.',
  },
  'origin-required': {
    meaning: 'A request without an Origin header is refused because of its origin.',
    ...mcp('Streamable HTTP, security and endpoint', `${HTTP}#security-%26-endpoint`),
    fix: 'Check Origin only in requests that have it. Clients that are programs do not send it.',
  },
  'user-agent-blocked': {
    meaning: 'Requests are refused because of their User-Agent.',
    clause: 'The reachability check of Claude has a User-Agent with "Ruby"',
    source: issue('anthropics/claude-ai-mcp', 521),
    fix: 'Do not filter requests at the MCP endpoint and at /.well-known/ by User-Agent.',
    breaks: ['Claude (web)', 'Claude Desktop'],
  },
  'rate-limited': {
    meaning: 'The first requests of a client are refused with 429.',
    ...rfc(6585, '4'),
    fix: 'Raise the limit. Do not limit by address alone: hosted clients share few addresses.',
  },
  'proxy-cannot-reach-server': {
    meaning: 'What stands before the server answers that it does not reach the server.',
    ...rfc(9110, '15.6.3', ' and §15.6.5'),
    fix: 'Start the server or the tunnel. Check the address, the port and the certificate that the proxy uses for the server, and its timeout.',
  },
  'answers-slow': {
    meaning: 'The responses take so long that the examination was ended before its end.',
    ...rfc(9110, '15.6.5'),
    fix: 'Answer handshakes and lists within a second. Send bodies at once, and pages with many entries.',
  },
  'server-error': {
    meaning: 'The server answers a request of the client with a server error.',
    ...rfc(9110, '15.6'),
    fix: 'Find the exception in the log of the server.',
  },
  'request-refused': {
    meaning: 'initialize is refused with an HTTP error before its protocolVersion is read.',
    ...mcp('Streamable HTTP, sending messages', `${HTTP}#sending-messages`),
    fix: 'Accept POST with Content-Type: application/json at the endpoint. Look in the middleware and the proxy in front of the MCP server: 413 is a limit of the body, 415 a parser of another type.',
  },
  'endpoint-not-found': {
    meaning: 'No MCP endpoint answers POST requests at this URL.',
    ...mcp('Streamable HTTP, security and endpoint', `${HTTP}#security-%26-endpoint`),
    fix: 'Paste the whole URL with its path, often /mcp, and route POST requests of this path to the MCP server.',
  },
  'endpoint-answers-html': {
    meaning: 'The URL answers with a web page.',
    ...mcp('Streamable HTTP, sending messages', `${HTTP}#sending-messages`),
    fix: 'Paste the URL of the MCP endpoint, not of the site. Route POST requests of this path to the server before the fallback of the site.',
  },
  'legacy-sse-only': {
    meaning: 'The URL serves the deprecated HTTP+SSE transport alone.',
    ...mcp('Streamable HTTP, HTTP+SSE transport', `${HTTP}#backward-compatibility`),
    fix: 'Serve Streamable HTTP: answer POST requests at this URL with JSON or an event stream.',
    breaks: ['Codex', 'Claude Code', 'Gemini CLI'],
    degrades: 'all',
  },
  'legacy-sse-fails': {
    meaning:
      'The URL serves the deprecated HTTP+SSE transport alone, and initialize through it has no response.',
    ...legacy(
      'HTTP+SSE transport, backwards compatibility',
      `${TRANSPORTS}#backwards-compatibility`,
    ),
    fix: 'Serve Streamable HTTP: answer POST requests at this URL with JSON or an event stream. In the older transport, the endpoint event names a path or a URL of the same origin, POST is answered there with 202, and the response is a message event of the stream.',
  },
  'accept-refused': {
    meaning: 'A request with "Accept: */*" is refused with 406.',
    ...rfc(9110, '12.5.1'),
    clause:
      'The reachability check of Claude sends "Accept: */*", which RFC 9110 §12.5.1 defines as any type',
    fix: 'Refuse a request only if its Accept header excludes both application/json and text/event-stream. "*/*" and a missing Accept include both.',
    breaks: ['Claude (web)', 'Claude Desktop'],
    degrades: ['Gemini CLI'],
  },
  'unauthenticated-not-401': {
    meaning: 'A request without a token is refused with another status than 401.',
    ...mcp('authorization, error handling; RFC 6750 §3', `${AUTH}#error-handling`),
    fix: 'Answer a request without a valid token with HTTP 401 and WWW-Authenticate: Bearer resource_metadata="…". Clients sign in at that status alone.',
  },
  'discover-fails': {
    meaning:
      'server/discover is answered with neither a result nor an error that means "use initialize".',
    ...mcp('Streamable HTTP, backward compatibility', `${HTTP}#backward-compatibility`),
    fix: 'Answer an unknown method with a JSON-RPC error -32601, or with status 400 or 404. Do not crash on requests before initialize.',
    breaks: MODERN,
  },
})
