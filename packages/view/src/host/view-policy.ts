/**
 * The policy of the frame of a view, which a host makes of `_meta.ui.csp`. It has no `'self'`, which some hosts allow: it
 * would be the host, not the server of the view.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#security-implications
 */
import type { Members } from '../frame.ts'

/** @param csp lists of origins, which are checked: each entry becomes a part of the header */
export function viewPolicy(csp: Members): string {
  const listed = (name: string) => (csp[name] as readonly string[] | undefined)?.join(' ') ?? ''
  const directive = (name: string, ...sources: readonly string[]) => {
    const allowed = sources.filter((source) => source !== '')
    return [name, ...(allowed.length === 0 ? ["'none'"] : allowed)].join(' ')
  }
  const resources = listed('resourceDomains')
  return [
    // Without `allow-forms`, the event `submit` would not be fired.
    'sandbox allow-scripts allow-forms',
    directive('default-src'),
    directive('script-src', "'unsafe-inline'", resources),
    directive('style-src', "'unsafe-inline'", resources),
    directive('img-src', 'data:', resources),
    directive('font-src', resources),
    directive('media-src', 'data:', resources),
    directive('connect-src', listed('connectDomains')),
    directive('frame-src', listed('frameDomains')),
    directive('object-src'),
    directive('base-uri', listed('baseUriDomains')),
    directive('form-action'),
  ].join('; ')
}

const FEATURES: Readonly<Record<string, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
}

/** The attribute `allow` of the frame. Its document has no origin, which `*` stands for. */
export function allowAttribute(permissions: Members): string {
  const names = Object.keys(permissions).flatMap((name) => FEATURES[name] ?? [])
  return names.map((name) => `${name} *`).join('; ')
}
