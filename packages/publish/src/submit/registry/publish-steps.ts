/**
 * How `server.json` is published to the MCP registry: the proof of its namespace, and the commands.
 *
 * @see https://modelcontextprotocol.io/registry/authentication
 */
import { formText } from '../form-text.ts'

/** The name of a server, such as `io.github.octocat/notes` or `com.example/notes`. */
export function publishSteps(name: string, url: string): string {
  const [namespace = '', server = ''] = name.split('/')
  const [, account] = /^io\.github\.(.+)$/.exec(namespace) ?? []
  const fields = account === undefined ? domainSteps(namespace, url) : githubSteps(account)
  return formText(`${server}: publication to the MCP registry`, [
    {
      text: `\`server.json\` is for the name ${name}. Each publication needs a version that was not published before. The commands are those of [mcp-publisher](https://modelcontextprotocol.io/registry/quickstart), in this folder.`,
    },
    ...fields,
    { title: 'Publish', text: commands('mcp-publisher validate', 'mcp-publisher publish') },
    {
      title: 'Check',
      text: commands(
        `curl "https://registry.modelcontextprotocol.io/v0.1/servers?search=${encodeURIComponent(name)}"`,
      ),
    },
  ])
}

const commands = (...lines: readonly string[]) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``

function githubSteps(account: string) {
  return [
    {
      title: `Prove that ${account} is yours`,
      text: `In a workflow of a repository of ${account}, no secret is needed: the permission \`id-token: write\`, and\n\n${commands('mcp-publisher login github-oidc')}\n\nThe workflow \`node_modules/edgeway/starter/publish.yml\`, copied to \`.github/workflows/\`, does it when the tag of a version is pushed. On your computer, sign in as ${account}, or as an owner of it if it is an organization:\n\n${commands('mcp-publisher login github')}`,
    },
  ]
}

function domainSteps(namespace: string, url: string) {
  const domain = namespace.split('.').reverse().join('.')
  const { hostname } = new URL(url)
  const isSameSite = hostname === domain || hostname.endsWith(`.${domain}`)
  const keys = commands(
    'openssl genpkey -algorithm Ed25519 -out key.pem',
    `openssl pkey -in key.pem -pubout -outform DER | tail -c 32 | base64`,
  )
  const login = (method: string) =>
    commands(
      `mcp-publisher login ${method} --domain ${domain} --private-key "$(openssl pkey -in key.pem -noout -text | grep -A3 'priv:' | tail -n +2 | tr -d ' :\\n')"`,
    )
  return [
    {
      title: 'Create a key',
      text: `In a folder outside of the project: the file \`key.pem\` is secret. The second command prints the public key.\n\n${keys}`,
    },
    {
      title: `Prove that ${domain} is yours`,
      text: `Either by HTTP: serve this text, alone and as plain text, at https://${domain}/.well-known/mcp-registry-auth. It is answered with 200, without a redirect. With Edgeway: the feature \`proofs({ mcpRegistry: 'v=MCPv1; …' })\`.${isSameSite ? '' : ` The server itself is at ${hostname}, another host.`}\n\n${commands('v=MCPv1; k=ed25519; p=<public key>')}\n\n${login('http')}\n\nOr by DNS, which proves the subdomains of ${domain} too: the same text as a TXT record of ${domain} itself.\n\n${login('dns')}`,
    },
  ]
}
