/** Shows a message in the place of a part of the page that cannot be rendered. */
import { Component, type ComponentChildren } from 'preact'
import { Notice } from './notice.tsx'

interface BoundaryProps {
  readonly children: ComponentChildren
}

export class Boundary extends Component<BoundaryProps, { readonly problem: string | undefined }> {
  override state = { problem: undefined }

  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override render({ children }: BoundaryProps) {
    const { problem } = this.state
    if (problem === undefined) return children
    return (
      <div class="page" role="alert">
        <Notice kind="bad" title="This cannot be shown">
          <p>{problem}</p>
          <p>Reload the page. What the server sent has an unexpected form.</p>
        </Notice>
      </div>
    )
  }
}
