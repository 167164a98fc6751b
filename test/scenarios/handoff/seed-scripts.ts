/** The scripts of seed 004, as they stand there. */

/** Migration path, phase 1. */
export const INFRASTRUCTURE = `
# In project root
mkdir -p inbox/processed
mkdir -p outbox

# Add to .gitignore (items are ephemeral)
echo "inbox/*.md" >> .gitignore
echo "!inbox/.gitkeep" >> .gitignore
echo "outbox/*.md" >> .gitignore
echo "!outbox/.gitkeep" >> .gitignore

# Keep directories tracked
touch inbox/.gitkeep outbox/.gitkeep
`

/** Processing behavior, during phase 0-pre. */
export const INHERIT = `
# Check inbox
if [ -d "inbox" ] && [ "$(ls -A inbox/*.md 2>/dev/null)" ]; then
  echo "◈ INHERIT"
  
  # Process each item
  for file in inbox/*.md; do
    # Extract key info
    type=$(grep "^type:" "$file" | cut -d: -f2 | xargs)
    from=$(grep "^from_session:" "$file" | cut -d: -f2 | xargs)
    
    # Show content
    echo "[$type from $from]"
    sed '1,/^---$/d; /^---$/d' "$file"  # Content only
    
    # Move to processed
    mv "$file" "inbox/processed/"
  done
else
  echo "◈ INHERIT"
  echo "No inheritance items"
fi
`

/** Integration with LBRP, the new behavior. Its \`process_inbox_item\` is left to whoever uses it. */
export const CHECK = `
# Check inbox only
if [ -d "inbox" ] && [ "$(ls -A inbox/*.md 2>/dev/null)" ]; then
  for file in inbox/*.md; do
    # Load explicitly inherited items
    process_inbox_item "$file"
  done
else
  echo "No inheritance items"
fi
`

/** Creation responsibility. */
export const CREATE = `
# If session produced non-trivial learning
if [ -n "$LEARNING" ]; then
  cat > inbox/$(date +%s)-learning.md <<EOF
---
from_session: $SESSION_ID
type: learning
priority: high
created: $(date -Iseconds)
---

$LEARNING
EOF
fi

# If discovered caution
if [ -n "$CAUTION" ]; then
  cat > inbox/$(date +%s)-caution.md <<EOF
---
from_session: $SESSION_ID
type: caution
priority: high
created: $(date -Iseconds)
---

$CAUTION
EOF
fi
`

/** Example 1, session A. */
export const EXAMPLE_1 = `
# Discovered JWT refresh token rotation pattern
cat > inbox/1736528400-learning.md <<EOF
---
from_session: 2026-01-10-auth-implementation
type: learning
priority: high
created: 2026-01-10T18:30:00Z
---

JWT refresh token rotation (new token per refresh, invalidate old) superior 
to long-lived tokens. Requires hash storage, family IDs, rate limiting.
EOF
`

/** The example of the file format. */
export const FILE = `---
from_session: 2026-01-10-auth-implementation
type: learning
priority: high
created: 2026-01-10T18:30:00Z
---

JWT refresh token rotation (new token per refresh, invalidate old) superior 
to long-lived tokens.

Implementation requires:
- Token hash storage
- Family IDs for reuse detection  
- Rate limiting (5/min/IP)
- Family invalidation on logout
`

/** Example 3, as a session opens; the seed does not say what wrote its three items. */
export const EXAMPLE_3 = `[learning from 2026-01-10-auth]: JWT rotation pattern
[caution from 2026-01-10-auth]: Rate limiting on refresh endpoint required
[thread from 2026-01-09-migration]: Database migration paused at step 3, resume needed`

/** Scheduled cleanup. */
export const CLEAN = 'find inbox/processed -name "*.md" -mtime +30 -delete'
