/** Faults of the URL and of the authorization. */
import { directoryFaults } from '../fault.ts'
import { claude, openai, registry } from '../sources.ts'

const URL_RULES = {
  ...claude('the URL of the server', 'submission'),
  ...openai('public production HTTPS URL', 'review'),
  ...registry('remotes are publicly reachable', 'requirements'),
}
const OAUTH = {
  ...claude('OAuth', 'authentication'),
  ...openai('OAuth by DCR, CIMD or a provided client', 'review'),
}

export const CONNECTION = directoryFaults(OAUTH, {
  'url-not-https': {
    meaning: 'The URL of the server is not https.',
    fix: 'Serve the endpoint with TLS, and submit its https URL.',
    directories: URL_RULES,
  },
  'url-not-public': {
    meaning: 'The URL of the server is not on the internet.',
    fix: 'Deploy the server to a public host, and submit its URL there.',
    directories: URL_RULES,
  },
  'url-has-credential': {
    meaning: 'The URL of the server has a key or token.',
    fix: 'Remove it from the URL. Let people sign in by OAuth.',
    directories: {
      ...claude('no keys in the URL', 'authentication'),
      ...openai('API keys are not accepted', 'review'),
      ...registry('entries are public', 'requirements'),
    },
  },
  'server-not-reached': {
    meaning: 'No MCP server answers at the URL.',
    fix: 'Run edgeway doctor URL without --for, and correct what it finds.',
    directories: URL_RULES,
  },
  'client-does-not-connect': {
    meaning: 'The client of the directory does not connect.',
    fix: 'Run edgeway doctor URL without --for, and correct the faults that it names.',
    directories: {
      ...claude('the connector works in Claude', 'review'),
      ...openai('scan of the tools (scan_required)', 'errors'),
    },
  },
  'oauth-missing': {
    meaning: 'The server asks for a token that people can only paste.',
    fix: 'Offer OAuth: protected resource metadata, and an authorization server with registration or client id metadata documents (with Edgeway: auth: embedded() or external()).',
  },
  'challenge-without-metadata': {
    meaning: 'The 401 does not lead to the metadata of the resource.',
    fix: 'Answer requests without a token with 401 and WWW-Authenticate: Bearer resource_metadata="https://HOST/.well-known/oauth-protected-resource/PATH".',
  },
  'resource-metadata-missing': {
    meaning: 'The protected resource metadata cannot be read.',
    fix: 'Serve it as JSON at the URL that the 401 names.',
  },
  'resource-differs': {
    meaning: 'The resource of the metadata is not the URL of the endpoint.',
    fix: 'Set resource to exactly the URL that people enter.',
  },
  'authorization-server-missing': {
    meaning: 'The metadata of the authorization server cannot be found or read.',
    fix: 'Name its issuer first in authorization_servers, and serve /.well-known/oauth-authorization-server there.',
  },
  'issuer-differs': {
    meaning: 'The issuer of the authorization server is not the one that the resource names.',
    fix: 'Spell the issuer in authorization_servers as in the metadata of the authorization server.',
  },
  'pkce-missing': {
    meaning: 'The authorization server does not advertise PKCE with S256.',
    fix: 'List "S256" in code_challenge_methods_supported.',
  },
  'registration-missing': {
    meaning: 'A client has no way to identify itself at the authorization server.',
    fix: 'Set client_id_metadata_document_supported: true and "none" in token_endpoint_auth_methods_supported, or offer a registration_endpoint.',
  },
  'cimd-without-none': {
    meaning: 'Client id metadata documents are offered, and clients without a secret are not.',
    fix: 'Add "none" to token_endpoint_auth_methods_supported.',
  },
  'oauth-endpoint-not-public': {
    meaning: 'The metadata name a URL that is not https on the internet.',
    fix: 'Name public https URLs in the challenge and in both metadata documents.',
  },
})
