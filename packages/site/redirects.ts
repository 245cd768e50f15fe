/** The addresses of pages that have become sections of others, as the file `_redirects` of static assets. */

/** The new address of each page, by its old path. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  'guides/api-keys': 'guides/authorization#api-keys',
  'guides/connection-timeline': 'guides/when-a-client-does-not-connect#the-connection-timeline',
  'guides/doctor': 'guides/when-a-client-does-not-connect#the-doctor',
  'guides/identity-providers': 'guides/authorization#identity-providers',
  'guides/inspector': 'guides/when-a-client-does-not-connect#the-inspector',
  'guides/landing-page': 'guides/connecting-clients#the-page-of-the-server',
  'guides/personal-access-tokens': 'guides/authorization#personal-access-tokens',
  'guides/prompts': 'guides/resources#prompts',
  'guides/schemas': 'guides/tools#schemas',
  'guides/writing-features': 'guides/features#features-of-your-own',
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
