/** A link to a document outside of the page. Addresses of other schemes are shown as text. */
import { Code } from './text.tsx'

export function OutsideLink({ url, text }: { readonly url: string; readonly text?: string }) {
  if (!isWebUrl(url)) return <Code>{text ?? url}</Code>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text ?? url}
    </a>
  )
}

export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
