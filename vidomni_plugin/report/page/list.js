// The list of items. Only the rows that the screen shows are in the page.

const ROW = 46; // height of a row in pixels, as in the style
const SPARE = 6; // rows kept ready above and below the screen

class ItemList {
  constructor(box, rows, describe, choose) {
    Object.assign(this, {box, rows, describe, choose, items: [], selected: -1, frame: 0});
    const later = () => {
      if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
    };
    box.addEventListener('scroll', later, {passive: true});
    addEventListener('resize', later);
    rows.addEventListener('click', (event) => {
      const row = event.target.closest('.row');
      if (row) this.choose(Number(row.dataset.index));
    });
  }

  show(items, selected) {
    this.items = items;
    this.rows.style.height = items.length * ROW + 'px';
    this.select(selected);
  }

  select(index) {
    this.selected = index;
    if (index >= 0) this.reveal(index);
    this.draw();
  }

  reveal(index) {
    const top = index * ROW;
    const height = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ROW > this.box.scrollTop + height) this.box.scrollTop = top + ROW - height;
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const many = Math.ceil(this.box.clientHeight / ROW) + 2 * SPARE;
    const last = Math.min(this.items.length, first + many);
    const rows = [];
    for (let i = first; i < last; i += 1) rows.push(this.row(i));
    this.rows.replaceChildren(...rows);
    if (this.selected >= first && this.selected < last) {
      this.box.setAttribute('aria-activedescendant', 'row-' + this.selected);
    } else this.box.removeAttribute('aria-activedescendant');
  }

  row(index) {
    const row = element('div', 'row');
    row.id = 'row-' + index;
    row.dataset.index = String(index);
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(index === this.selected));
    row.setAttribute('aria-posinset', String(index + 1));
    row.setAttribute('aria-setsize', String(this.items.length));
    row.style.transform = 'translateY(' + index * ROW + 'px)';
    row.append(...this.describe(this.items[index]));
    return row;
  }
}
