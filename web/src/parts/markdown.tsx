import type { ComponentChild } from 'preact'
import { useMemo } from 'preact/hooks'
import { type Block, type Inline, parseMarkdown } from './markdown-parse.ts'

interface MarkdownProps {
  readonly text: string
}

/** Somebody else's words: shown as elements of our own making, never as HTML. */
export function Markdown({ text }: MarkdownProps) {
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return <div class="markdown">{blocks.map(blockOf)}</div>
}

function blockOf(block: Block): ComponentChild {
  switch (block.kind) {
    case 'heading':
      // The page has headings of its own; those of a message are no part of its outline.
      return <p class={`md-heading md-h${Math.min(block.level, 4)}`}>{block.of.map(inlineOf)}</p>
    case 'paragraph':
      return (
        <p>
          {block.lines.map((line, at) => (
            <>
              {at > 0 && <br />}
              {line.map(inlineOf)}
            </>
          ))}
        </p>
      )
    case 'code':
      return <pre class="md-code">{block.text}</pre>
    case 'quote':
      return <blockquote>{block.of.map(blockOf)}</blockquote>
    case 'list':
      return block.isOrdered ? <ol>{block.items.map(itemOf)}</ol> : <ul>{block.items.map(itemOf)}</ul>
    case 'rule':
      return <hr />
  }
}

function itemOf(item: readonly Inline[]): ComponentChild {
  return <li>{item.map(inlineOf)}</li>
}

function inlineOf(part: Inline): ComponentChild {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{part.of.map(inlineOf)}</strong>
    case 'em':
      return <em>{part.of.map(inlineOf)}</em>
    case 'del':
      return <del>{part.of.map(inlineOf)}</del>
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.of.map(inlineOf)}
        </a>
      )
  }
}
