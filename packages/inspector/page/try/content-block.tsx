/** A content block. Images are shown from `data:` URIs of known types; everything else is text. */
import type { Params } from '../client/endpoint.ts'
import { CopyButton } from '../elements/copy-button.tsx'
import { sizeOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Code, Text } from '../elements/text.tsx'
import { hrefOf } from '../route.ts'
import { membersOf } from '../traffic/exchange.ts'

const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** In UTF-16 code units. */
const MAX_TEXT = 200_000

export function ContentBlock({ block }: { readonly block: Params }) {
  const { type } = block
  if (type === 'text' && typeof block.text === 'string') return <TextBlock text={block.text} />
  if (type === 'image' || type === 'audio') {
    return <Binary data={String(block.data)} mimeType={String(block.mimeType)} />
  }
  if (type === 'resource_link') return <LinkBlock link={block} />
  if (type === 'resource') return <ResourceBlock resource={membersOf(block.resource)} />
  return <JsonTree value={block} label="the content" />
}

function TextBlock({ text }: { readonly text: string }) {
  return (
    <div class="text-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, with the keyboard too */}
      <pre tabIndex={0}>
        <Text max={MAX_TEXT}>{text}</Text>
      </pre>
      <CopyButton label="the text" text={() => text} />
    </div>
  )
}

function Binary({ data, mimeType }: { readonly data: string; readonly mimeType: string }) {
  const bytes = sizeOf(Math.floor((data.length * 3) / 4))
  if (!IMAGE_TYPE.test(mimeType) || !BASE64.test(data)) {
    return (
      <p>
        <Code max={100}>{mimeType}</Code> <span class="quiet">{bytes}</span>{' '}
        <CopyButton label="the data as base64" text={() => data} />
      </p>
    )
  }
  return (
    <figure>
      <img src={`data:${mimeType};base64,${data}`} alt={`From the server (${mimeType})`} />
      <figcaption class="quiet">
        {mimeType}, {bytes}
      </figcaption>
    </figure>
  )
}

function LinkBlock({ link }: { readonly link: Params }) {
  const uri = String(link.uri)
  return (
    <p class="resource-link">
      <strong>
        <Text max={200}>{String(link.title ?? link.name ?? 'Resource')}</Text>
      </strong>{' '}
      <Code>{uri}</Code> <a href={hrefOf('try', 'resources', uri)}>Read it</a>
    </p>
  )
}

function ResourceBlock({ resource }: { readonly resource: Params }) {
  const { uri, mimeType, text, blob } = resource
  return (
    <div>
      <p>
        <Code>{String(uri)}</Code> <span class="quiet">{String(mimeType ?? '')}</span>
      </p>
      {typeof text === 'string' && <TextBlock text={text} />}
      {typeof blob === 'string' && <Binary data={blob} mimeType={String(mimeType)} />}
    </div>
  )
}
