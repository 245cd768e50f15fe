/**
 * The document of the frame, before that of the view: it takes the view from its parent once, and reports what the policy
 * blocks and what the view throws at a port that the view does not have. A written document keeps the policy of the header.
 */
/** What the parent posts, with the port of the reports. */
export interface FrameView {
  readonly html: string
  /** Media queries of the document count as those of a person who prefers reduced motion. No page can set that. */
  readonly reducedMotion: boolean
}

export type FrameReport =
  | { readonly kind: 'blocked'; readonly directive: string; readonly uri: string }
  | { readonly kind: 'failed'; readonly message: string }

const SCRIPT = `
addEventListener('message', function take({ source, data, ports: [port] }) {
  if (source !== parent || port === undefined) return
  removeEventListener('message', take)
  const failed = (message) => port.postMessage({ kind: 'failed', message: String(message) })
  const forced = (query) => query.replace(
    /\\(\\s*prefers-reduced-motion\\s*(?::\\s*([a-z-]+)\\s*)?\\)/g,
    (_, value) => value === 'no-preference' ? '(min-width: 99999px)' : '(min-width: 0px)')
  const forceRules = (rules) => {
    for (const rule of rules) {
      if (rule.media && rule.media.mediaText.includes('reduced-motion')) rule.media.mediaText = forced(rule.media.mediaText)
      if (rule.cssRules) forceRules(rule.cssRules)
    }
  }
  const forceSheets = () => {
    for (const sheet of document.styleSheets) {
      try { forceRules(sheet.cssRules) } catch { /* The rules of another origin cannot be read. */ }
    }
  }
  // It removes the listeners of the window, and keeps its origin and policy.
  document.open()
  addEventListener('error', (event) => {
    if (event instanceof ErrorEvent) failed(event.message + (event.lineno ? ' (line ' + event.lineno + ')' : ''))
    else if (event.target instanceof HTMLScriptElement) failed('a script did not load: ' + (event.target.src || 'one of the document'))
  }, true)
  addEventListener('unhandledrejection', ({ reason }) => failed(reason))
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    port.postMessage({ kind: 'blocked', directive: effectiveDirective, uri: blockedURI }))
  if (data.reducedMotion) {
    const match = matchMedia.bind(window)
    window.matchMedia = (query) => match(forced(query))
    new MutationObserver(forceSheets).observe(document, { childList: true, subtree: true })
    addEventListener('load', forceSheets)
  }
  document.write(data.html)
  document.close()
})
`

export const FRAME_DOCUMENT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>View</title><script>${SCRIPT}</script></html>
`
