/** The members of `server.json` that come from the Server Card: what the MCP registry takes of it. */
import type { Icon } from '../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { DescribedCard } from '../../../doctor/src/config/inspector.ts'
import type { Members } from '../../../text/src/json/members.ts'

/** The schema of record. @see https://github.com/modelcontextprotocol/static */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

export type ServerJson = Readonly<Record<string, unknown>>

/**
 * @param card with paths in place of URLs
 * @param origin of the deployment
 */
export function serverJsonOf(card: DescribedCard, origin: string): ServerJson {
  const { name, title, description, version, websiteUrl, repository, icons = [], remotes } = card
  const accepted = icons.flatMap(registryIcon)
  const members = {
    $schema: SCHEMA,
    name,
    title,
    description,
    version,
    websiteUrl,
    repository,
    icons: accepted.length === 0 ? undefined : accepted,
    // The registry has no member for revisions.
    remotes: remotes.map(({ type, url, headers, variables }) =>
      present({ type, url: origin + url, headers, variables }),
    ),
  }
  return present(members)
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp']
const MAX_ICON_URL = 255

function registryIcon(icon: Icon): readonly object[] {
  const { src, mimeType, sizes, theme } = icon
  return isRegistryIcon(icon) ? [present({ src, mimeType, sizes, theme })] : []
}

/** The registry takes fewer icons than clients do: by https URL, in five types, with sizes in pixels. */
export function isRegistryIcon(icon: unknown): boolean {
  if (!isJsonObject(icon)) return false
  const { src, mimeType, sizes = [], theme } = icon
  return (
    typeof src === 'string' &&
    /^https:/i.test(src) &&
    src.length <= MAX_ICON_URL &&
    (mimeType === undefined || IMAGE_TYPES.some((type) => type === mimeType)) &&
    Array.isArray(sizes) &&
    sizes.every((size) => /^(?:\d+x\d+|any)$/.test(String(size))) &&
    (theme === undefined || theme === 'light' || theme === 'dark')
  )
}

function present(members: Members): ServerJson {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
