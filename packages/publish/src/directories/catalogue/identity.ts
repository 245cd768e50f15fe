/** Faults of the identity of a server over its documents, of `server.json`, and of the proofs of domains. */
import { directoryFaults } from '../fault.ts'
import { claude, openai, registry } from '../sources.ts'

const ONE_SOURCE = 'name, version, title and description agree'
const SAME = {
  ...claude(ONE_SOURCE, 'review', 'warning'),
  ...openai(ONE_SOURCE, 'submission', 'warning'),
  ...registry(ONE_SOURCE, 'requirements'),
}
const FORMAT = (member: string) => registry(`server.json, ${member}`, 'format')
const CARD = (part: string) => registry(`Server Card (SEP-2127), ${part}`, 'card')
const PROOFS = {
  ...openai('domain verification (domain_verification_required)', 'submission'),
  ...registry('proof of a namespace by HTTP', 'authentication'),
}

export const IDENTITY = directoryFaults(SAME, {
  'name-differs': {
    meaning: 'The documents of the server give it different names.',
    fix: 'Use one name everywhere. npx edgeway server-json writes server.json.',
  },
  'version-differs': {
    meaning: 'The documents of the server have different versions.',
    fix: 'Use one version everywhere. npx edgeway server-json writes server.json.',
  },
  'title-differs': {
    meaning: 'The documents of the server have different titles.',
    fix: 'Use one title everywhere. npx edgeway server-json writes server.json.',
  },
  'description-differs': {
    meaning: 'The documents of the server have different descriptions.',
    fix: 'Use one description everywhere, of up to 100 characters. npx edgeway server-json writes server.json.',
  },
  'remote-differs': {
    meaning: 'A document of the server names other endpoints.',
    fix: 'Put the URL of the endpoint into remotes, with the type "streamable-http".',
  },
  'card-invalid': {
    meaning: 'The Server Card is not valid.',
    fix: 'Correct the member that the message names. With Edgeway: the feature serverCard().',
    directories: CARD('schema'),
  },
  'catalog-invalid': {
    meaning: 'The AI Catalog is not valid.',
    fix: 'Serve /.well-known/ai-catalog.json with specVersion "1.0" and entries, each with identifier, type and either url or data. Without a catalog, answer 404. A url of this host leads to a Server Card, and an identifier of urn:air names a domain of its publisher.',
    directories: CARD('discovery by /.well-known/ai-catalog.json'),
  },
})

export const SERVER_JSON = directoryFaults(FORMAT('schema'), {
  'server-json-invalid': {
    meaning: 'server.json has a member of the wrong type, or one of the registry itself.',
    fix: 'Correct the member that the message names. Leave status, publishedAt and isLatest to the registry.',
  },
  'server-json-schema': {
    meaning: 'server.json names another schema than that of the registry.',
    fix: 'Set "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json".',
    directories: registry('server.json, $schema', 'format', 'warning'),
  },
  'server-name-invalid': {
    meaning: 'The name of the server is not one of the registry.',
    fix: 'Use the reversed domain, a slash and a name, such as "com.example/notes", of 3 to 200 characters.',
    directories: FORMAT('name'),
  },
  'server-version-invalid': {
    meaning: 'The version of the server is not one of the registry.',
    fix: 'Use one version of up to 255 characters, such as "1.4.0", and no range such as "^1.4.0" or "latest".',
    directories: FORMAT('version'),
  },
  'server-title-invalid': {
    meaning: 'The title of the server is empty or has more than 100 characters.',
    fix: 'Use a title of 1 to 100 characters.',
    directories: FORMAT('title'),
  },
  'server-description-invalid': {
    meaning: 'The description of the server is missing or has more than 100 characters.',
    fix: 'Describe the server in one sentence of 1 to 100 characters.',
    directories: FORMAT('description'),
  },
  'server-remote-invalid': {
    meaning: 'An entry of remotes cannot be connected to.',
    fix: 'Use { "type": "streamable-http", "url": "https://…" } with a public https URL, and describe each {variable} of it.',
    directories: FORMAT('remotes'),
  },
  'server-remote-missing': {
    meaning: 'server.json names neither remotes nor packages.',
    fix: 'Add "remotes": [{ "type": "streamable-http", "url": "https://…/mcp" }].',
    directories: FORMAT('remotes'),
  },
  'server-meta-invalid': {
    meaning: 'The registry does not keep the _meta of server.json.',
    fix: 'Keep "io.modelcontextprotocol.registry/publisher-provided" alone, with at most 4,096 bytes.',
    directories: FORMAT('_meta'),
  },
})

export const PROOF_FAULTS = directoryFaults(PROOFS, {
  'proof-redirects': {
    meaning:
      'The proof of the domain is answered with a redirect, which the directory does not follow.',
    fix: 'Answer the path with 200 and the text itself, or with 404 until it is configured.',
  },
  'proof-is-a-page': {
    meaning: 'The proof of the domain is answered with a page.',
    fix: 'Answer the path with the text alone as text/plain, and with 404 until it is configured.',
  },
  'proof-not-plain-text': {
    meaning: 'The proof of the domain is not sent as text/plain.',
    fix: 'Set Content-Type: text/plain; charset=utf-8.',
  },
  'proof-invalid': {
    meaning: 'The text of the proof of the domain is not one that the directory accepts.',
    fix: 'For OpenAI: the token of the dashboard alone, on one line. For the registry: v=MCPv1; k=ed25519; p=BASE64, of at most 4,096 bytes.',
  },
  'proof-refused': {
    meaning: 'The path of the proof of the domain is refused.',
    fix: 'Let requests of any User-Agent through to the path, without a token.',
  },
  'domain-differs': {
    meaning: 'The domain of the name and the host of the server are not the same site.',
    fix: 'Serve the endpoint at the domain of the service, or publish under the domain of the endpoint.',
    directories: {
      ...claude('the domain of the server matches the service', 'review', 'warning'),
      ...registry('namespaces', 'authentication', 'warning'),
    },
  },
})
