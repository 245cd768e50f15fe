/** How people add a server to their client: a command, a link that opens the client, or a place in its settings. */
import { encodeBase64 } from '../../../platform/base64.ts'

export interface ClientGuide {
  readonly client: string
  /** What to do, in one sentence. */
  readonly steps?: string
  /** For a terminal. */
  readonly command?: string
  /** Opens the client, which asks the person. */
  readonly link?: string
}

export interface GuidedServer {
  /** The name of the server as people registered it. */
  readonly name: string
  /** The URL of an endpoint; a param is `{org}`. */
  readonly url: string
  /** Whether clients sign in with OAuth. */
  readonly signsIn: boolean
}

/**
 * Without commands and links for a URL with other characters, which a shell may interpret. Such a URL
 * comes from a request with an unusual `Host`.
 */
export function clientGuides({ name, url, signsIn }: GuidedServer): readonly ClientGuide[] {
  const id = identifierOf(name)
  const isSafe = SAFE_URL.test(url)
  const hasParams = url.includes('{')
  const argument = PLAIN_ARGUMENT.test(url) ? url : `"${url}"`
  const config = { name: id, type: 'http', url }
  const command = (text: string) => (isSafe ? { command: text } : { steps: `Add the URL ${url}.` })
  const link = (text: string) => (isSafe && !hasParams ? { link: text } : {})
  const signIn = signsIn ? `\ncodex mcp login ${id}` : ''
  return [
    // https://support.claude.com/en/articles/11175166-getting-started-with-custom-connectors-using-remote-mcp
    {
      client: 'Claude',
      steps: 'Open Customize, then Connectors. Choose “Add custom connector” and enter the URL.',
    },
    // https://code.claude.com/docs/en/mcp
    { client: 'Claude Code', ...command(`claude mcp add --transport http ${id} ${argument}`) },
    // https://developers.openai.com/apps-sdk/deploy/connect-chatgpt
    {
      client: 'ChatGPT',
      steps:
        'Open Settings, then Apps. Switch on the developer mode in the advanced settings, choose “Create app” and enter the URL.',
    },
    // https://code.visualstudio.com/api/extension-guides/ai/mcp#mcp-url-handler
    {
      client: 'VS Code',
      ...command(`code --add-mcp "${JSON.stringify(config).replaceAll('"', '\\"')}"`),
      ...link(`vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`),
    },
    // https://cursor.com/docs/mcp/install-links
    {
      client: 'Cursor',
      ...(isSafe && !hasParams
        ? {
            link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${id}&config=${cursorConfig(url)}`,
          }
        : { steps: 'Open Settings, then Tools & MCP. Choose “New MCP server” and enter the URL.' }),
    },
    // https://developers.openai.com/codex/mcp
    { client: 'Codex', ...command(`codex mcp add ${id} --url ${argument}${signIn}`) },
    // https://geminicli.com/docs/tools/mcp-server
    { client: 'Gemini CLI', ...command(`gemini mcp add --transport http ${id} ${argument}`) },
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
    { client: 'Copilot CLI', ...command(`copilot mcp add --transport http ${id} ${argument}`) },
  ]
}

/** Characters without a meaning in any shell, and braces, which need quotes. */
const SAFE_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.{}-]+)+$/
const PLAIN_ARGUMENT = /^[\w.:/-]+$/

const MAX_IDENTIFIER_LENGTH = 40

/** A name that every client accepts, and that is no option of a command. */
function identifierOf(name: string): string {
  const id = name
    .slice(0, MAX_IDENTIFIER_LENGTH)
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return id === '' ? 'mcp-server' : id
}

const cursorConfig = (url: string) =>
  encodeURIComponent(encodeBase64(new TextEncoder().encode(JSON.stringify({ url }))))
