/** The addresses of pages that have become sections of others, as the file `_redirects` of static assets. */

/** The new address of each page, by its old path. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  'guides/api-keys': 'guides/authorization#api-keys',
  'guides/code': 'guides/large-catalogues#code-over-tools',
  'guides/connection-timeline': 'guides/when-a-client-does-not-connect#the-connection-timeline',
  'guides/contract': 'guides/testing#the-contract',
  'guides/discovery': 'guides/directories#the-server-card',
  'guides/doctor': 'guides/when-a-client-does-not-connect#the-doctor',
  'guides/factories': 'guides/several-servers#definitions-that-depend-on-the-caller',
  'guides/identity-providers': 'guides/authorization#identity-providers',
  'guides/inspector': 'guides/when-a-client-does-not-connect#the-inspector',
  'guides/landing-page': 'guides/connecting-clients#the-page-of-the-server',
  'guides/live-updates': 'guides/sessions-and-streams#live-updates',
  'guides/moving-from-mcp-agent': 'guides/migrate#from-mcpagent',
  'guides/moving-from-the-sdk': 'guides/migrate#from-the-official-sdk',
  'guides/moving-from-workers-oauth-provider': 'guides/migrate#from-workers-oauth-provider',
  'guides/personal-access-tokens': 'guides/authorization#personal-access-tokens',
  'guides/prompts': 'guides/resources#prompts',
  'guides/schemas': 'guides/tools#schemas',
  'guides/upgrading': 'guides/deploying#upgrading',
  'guides/writing-features': 'guides/features#features-of-your-own',
  'guides/your-own-routes-and-data': 'guides/features#your-own-routes-and-data',
}

/** Folders whose pages have become one page. */
export const FOLDERS: readonly string[] = ['decisions']

/** @see https://developers.cloudflare.com/workers/static-assets/redirects/ */
export function redirectsFile(): string {
  const pages = Object.entries(REDIRECTS).flatMap(([from, to]) => [
    `/${from} /${to} 301`,
    `/${from}.html /${to} 301`,
  ])
  const folders = FOLDERS.map((folder) => `/${folder}/* /${folder} 301`)
  return [...pages, ...folders].map((line) => `${line}\n`).join('')
}
