/** Faults of the challenge and of the metadata of the resource and the authorization server. */
import { WITH_TYPESCRIPT_SIGN_IN } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import { AUTH, issue, mcp, modern, rfc } from '../sources.ts'

export const DISCOVERY = faultGroup('breaks', {
  'authorization-not-offered': {
    meaning:
      'The server answers 401 and offers no authorization that clients support: neither a Bearer challenge with resource_metadata nor a metadata document.',
    ...mcp('authorization, overview; RFC 9728 §5.1', `${AUTH}#overview`),
    fix: 'Clients sign in with OAuth 2.1, not with an API key. Serve protected resource metadata that names an authorization server, and answer 401 with WWW-Authenticate: Bearer resource_metadata="https://HOST/.well-known/oauth-protected-resource/PATH". A server with keys or passwords serves only clients with a configured header: examine it with --header "Authorization: …".',
  },
  'challenge-missing': {
    meaning: 'A 401 has no WWW-Authenticate header with the scheme Bearer.',
    ...rfc(9728, '5.1'),
    clause: 'RFC 9110 §11.6.1; RFC 9728 §5.1',
    fix: 'Send WWW-Authenticate: Bearer resource_metadata="https://HOST/.well-known/oauth-protected-resource/PATH" with every 401.',
    breaks: ['ChatGPT'],
    degrades: 'all',
  },
  'get-without-challenge': {
    meaning: 'A GET without a token is not answered with 401, although a POST is.',
    clause:
      'MCP, authorization, token requirements; clients probe with GET or HEAD before they sign in',
    source: modern(`${AUTH}#token-requirements`),
    fix: 'Check the token before the method, and answer GET and HEAD with 401 and the same WWW-Authenticate as POST.',
    degrades: ['VS Code', 'Cursor', 'Gemini CLI'],
  },
  'challenge-without-metadata': {
    meaning: 'WWW-Authenticate of a 401 does not name resource_metadata.',
    ...rfc(9728, '5.1'),
    fix: 'Add resource_metadata="https://HOST/.well-known/oauth-protected-resource/PATH" to the Bearer challenge.',
    degrades: 'all',
  },
  'challenge-not-first': {
    meaning:
      'The Bearer challenge comes after another one, and only its resource_metadata leads to the metadata.',
    clause: 'RFC 9110 §11.6.1; the TypeScript SDK reads a challenge only at the beginning',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1',
    fix: 'Send the Bearer challenge first, or serve the protected resource metadata also at /.well-known/oauth-protected-resource and the path of the endpoint.',
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    degrades: 'all',
  },
  'resource-metadata-missing': {
    meaning: 'The protected resource metadata is not found.',
    clause: 'RFC 9728 §3; MCP, protected resource metadata discovery',
    source: modern(
      `${AUTH}/authorization-server-discovery#protected-resource-metadata-discovery-requirements`,
    ),
    fix: 'Serve it as JSON at /.well-known/oauth-protected-resource and the path of the endpoint, and name its URL as resource_metadata in WWW-Authenticate.',
  },
  'resource-metadata-skipped': {
    meaning:
      'The protected resource metadata is not found; only clients of older revisions find the authorization server, at the origin of the endpoint.',
    clause: 'RFC 9728 §3; MCP, authorization, overview',
    source: modern(`${AUTH}#overview`),
    fix: 'Serve it as JSON at /.well-known/oauth-protected-resource and the path of the endpoint, and name its URL as resource_metadata in WWW-Authenticate.',
    breaks: ['ChatGPT'],
    degrades: 'all',
  },
  'resource-metadata-invalid': {
    meaning: 'The protected resource metadata is not a valid document.',
    ...rfc(9728, '3.2'),
    fix: 'Answer with 200, Content-Type: application/json and an object with resource (a URL) and authorization_servers (an array of URLs). scopes_supported is an array too.',
  },
  'resource-mismatch': {
    meaning: 'The resource of the metadata is another URL than the one that was pasted.',
    ...rfc(9728, '3.3'),
    fix: 'Set resource to exactly the URL that people paste. Behind a proxy, configure the public URL instead of deriving it from the request. Tokens must have the same audience.',
  },
  'resource-not-exact': {
    meaning: 'The resource of the metadata is a parent of the pasted URL.',
    ...rfc(9728, '3.3', '; Claude compares it with the pasted URL'),
    fix: 'Set resource to exactly the URL that people paste, with its path.',
    breaks: ['Claude (web)', 'Claude Desktop', 'ChatGPT'],
    degrades: 'all',
  },
  'resource-trailing-slash': {
    meaning: 'The resource of the metadata has a trailing slash that the pasted URL does not have.',
    ...rfc(9728, '3.3', '; the TypeScript SDK refuses a resource below the URL'),
    fix: 'Set resource to the URL without the slash, publish this URL, and ignore the slash in audiences.',
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    degrades: 'all',
  },
  'url-trailing-slash': {
    meaning: 'The pasted URL has a trailing slash that the resource of the metadata does not have.',
    ...rfc(9728, '3.3'),
    fix: 'Paste and publish the URL without the slash, and ignore the slash in audiences.',
    degrades: 'all',
  },
  'authorization-servers-missing': {
    meaning: 'The protected resource metadata names no authorization server.',
    clause: 'MCP, authorization server location',
    source: modern(`${AUTH}/authorization-server-discovery#authorization-server-location`),
    fix: 'Add authorization_servers: an array with the issuer of the authorization server.',
  },
  'metadata-names-internal-host': {
    meaning:
      'The metadata names a host that clients cannot reach, such as localhost or a private address.',
    ...rfc(8414, '2', '; RFC 9728 §2'),
    fix: 'Configure the public URL of the server. Do not build URLs from the Host header behind a proxy.',
  },
  'metadata-names-unreachable-host': {
    meaning:
      'An endpoint of the authorization server is at another host, which cannot be connected to.',
    ...rfc(8414, '2'),
    fix: 'Configure the public URL of the authorization server, and build its endpoints from it.',
  },
  'metadata-without-cors': {
    meaning: 'A browser client cannot read the metadata.',
    clause: 'Fetch, CORS protocol; the Inspector reads metadata in the browser',
    source: 'https://fetch.spec.whatwg.org/#http-cors-protocol',
    fix: 'Send Access-Control-Allow-Origin: * with all documents under /.well-known/.',
    degrades: ['Inspector'],
  },
  'server-metadata-missing': {
    meaning:
      'The metadata of the authorization server is at none of the places where clients look.',
    clause: 'RFC 8414 §3; MCP, authorization server metadata discovery',
    source: modern(
      `${AUTH}/authorization-server-discovery#authorization-server-metadata-discovery`,
    ),
    fix: 'Serve it as JSON at /.well-known/oauth-authorization-server of the issuer, followed by its path, or at /.well-known/openid-configuration.',
  },
  'server-metadata-invalid': {
    meaning: 'The metadata of the authorization server is not a valid document.',
    ...rfc(8414, '2'),
    fix: 'Send issuer, authorization_endpoint, token_endpoint and response_types_supported as JSON, and leave out members without a value.',
  },
  'server-metadata-shadowed': {
    meaning:
      'A place where clients look before the metadata of the authorization server has a page or an error instead of 404.',
    clause:
      'RFC 8414 §3.2; the TypeScript SDK ends at status 200 without JSON and at a server error',
    source: issue('modelcontextprotocol/typescript-sdk', 2126),
    fix: 'Answer 404 at the well-known paths that have no document, before the fallback of the site, or serve the metadata at the first of them too.',
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    degrades: 'all',
  },
  'metadata-redirected': {
    meaning: 'A metadata document is redirected to another origin.',
    clause:
      'RFC 8414 §3.2, RFC 9728 §3.2: the answer is 200; the TypeScript SDK follows redirects only within the origin',
    source: 'https://www.rfc-editor.org/rfc/rfc8414#section-3.2',
    fix: 'Serve the document at this URL, or name the other origin: as resource_metadata in the challenge, or as the issuer in authorization_servers.',
    breaks: WITH_TYPESCRIPT_SIGN_IN,
    degrades: 'all',
  },
  'issuer-mismatch': {
    meaning: 'The issuer of the metadata is not the one that the metadata was requested for.',
    ...rfc(8414, '3.3'),
    fix: 'Set issuer, and authorization_servers of the protected resource metadata, to the same string.',
  },
  'issuer-trailing-slash': {
    meaning: 'The issuer differs from authorization_servers in a trailing slash.',
    ...rfc(8414, '3.3'),
    fix: 'Write the issuer in both documents with the same characters.',
    degrades: 'all',
  },
  'pkce-not-advertised': {
    meaning:
      'The metadata of the authorization server does not list S256 in code_challenge_methods_supported.',
    clause: 'MCP, authorization code protection; RFC 8414 §2',
    source: modern(`${AUTH}/security-considerations#authorization-code-protection`),
    fix: 'Add "code_challenge_methods_supported": ["S256"]. Clients must refuse a server without it.',
  },
  'code-flow-not-advertised': {
    meaning: 'The metadata of the authorization server excludes the authorization code flow.',
    ...rfc(8414, '2'),
    fix: 'List "code" in response_types_supported and "authorization_code" in grant_types_supported.',
  },
  'refresh-not-advertised': {
    meaning: 'grant_types_supported does not have refresh_token.',
    ...rfc(8414, '2', '; clients register the grants that the metadata has'),
    fix: 'Add "refresh_token" to grant_types_supported, and issue refresh tokens.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Claude Code', 'VS Code'],
  },
  'endpoint-not-https': {
    meaning: 'An endpoint of the authorization server is plain http on a public host.',
    ...mcp('communication security', `${AUTH}/security-considerations#communication-security`),
    fix: 'Serve all of its endpoints over https, and name them with https in its metadata.',
  },
  'authorization-endpoint-elsewhere': {
    meaning:
      'The authorization endpoint has another origin than the issuer, and iss is not advertised.',
    ...rfc(9207, '3', '; Codex refuses such a server'),
    fix: 'Serve it at the origin of the issuer, or return iss with every authorization response and advertise authorization_response_iss_parameter_supported.',
    breaks: ['Codex'],
  },
  'no-client-registration': {
    meaning:
      'The authorization server offers neither client id metadata documents nor dynamic registration.',
    ...mcp('client registration', `${AUTH}/client-registration`),
    fix: 'Support client id metadata documents (client_id_metadata_document_supported: true), or publish a registration_endpoint.',
  },
  'no-dynamic-registration': {
    meaning:
      'The authorization server has no registration_endpoint, which clients without a metadata document need.',
    clause: 'RFC 7591 §3; MCP, dynamic client registration',
    source: modern(`${AUTH}/client-registration#dynamic-client-registration`),
    fix: 'Publish a registration_endpoint beside client id metadata documents.',
    breaks: ['Cursor', 'Gemini CLI'],
    degrades: ['Inspector'],
  },
  'cimd-without-none': {
    meaning:
      'Client id metadata documents are advertised, and the authentication method "none" is not.',
    clause: 'Claude uses its document only if both are listed, and registers otherwise',
    source: issue('home-assistant/core', 179326),
    fix: 'Add "none" to token_endpoint_auth_methods_supported.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Claude Code', 'VS Code', 'Codex', 'ChatGPT'],
  },
})
