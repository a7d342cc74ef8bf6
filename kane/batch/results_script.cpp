// Style and script of the page of results.

namespace kane {

extern const char* const kResultsStyle;
extern const char* const kResultsScript;

const char* const kResultsStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2733;--faint:#5b6b7c;--line:#dde3ea;--edge:#cfd8e3;--soft:#f4f7fa;--code:#e8edf3;--axis:#8fa0b3;
--mark:#000;--bar:#2f6fb0;--given:#7d93ad;--minus:#c0703b;--bad:#c33;--front:#c0392b;--light:0}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e4e8ec;--faint:#93a0ad;--line:#333b44;--edge:#3c4650;--soft:#1d2228;--code:#2a323b;--axis:#6b7886;
--mark:#fff;--bar:#6aa7e8;--given:#8296ad;--minus:#d98d58;--bad:#f2857d;--front:#ff7f6e;--light:22}}
body{font:15px/1.45 system-ui,sans-serif;max-width:1180px;margin:1.5em auto;padding:0 1em;color:var(--ink);background:var(--paper)}
h1{font-size:1.5em}h2{font-size:1.1em;margin:1.6em 0 .4em}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}canvas{display:block;border:1px solid var(--line);border-radius:4px;cursor:crosshair}
select,button{font:inherit;margin:0 .6em .4em 0}.grid{display:flex;flex-wrap:wrap;gap:14px}#case{position:sticky;top:0;background:var(--soft);border:1px solid var(--edge);border-radius:4px;padding:.5em .8em;z-index:2}
#replay{width:100%;height:640px;border:1px solid var(--edge);border-radius:4px;margin-top:8px}
code{background:var(--code);padding:.1em .3em;border-radius:3px;word-break:break-all}small{color:var(--faint)}
)css";

const char* const kResultsScript = R"js(
const nv=D.variables.length,nm=D.measures.length,names=D.variables.concat(D.measures),app=document.getElementById('app');
let chosen=-1;const drawers=[];
const el=(tag,text,to)=>{const e=document.createElement(tag);if(text!==undefined)e.textContent=text;(to||app).appendChild(e);return e};
const fmt=x=>x===null||x===undefined?'–':(Math.abs(x)>=1e5||(x!==0&&Math.abs(x)<1e-3)?x.toExponential(4):String(+x.toPrecision(6)));
const label=(i,x)=>i<nv&&D.choices[i].length?D.choices[i][x]:fmt(x);
const col=i=>D.rows.map(r=>r[i+1]);
const range=v=>{let a=Infinity,b=-Infinity;for(const x of v)if(x!==null){if(x<a)a=x;if(x>b)b=x}if(a>b)return[0,1];if(a===b){const d=Math.abs(a)*.05||.5;return[a-d,b+d]}return[a,b]};
// colours of the pictures are those of the style, light or dark
let C={};const look=()=>{const v=getComputedStyle(document.documentElement);for(const n of ['ink','axis','mark','bar','given','minus','bad','front','faint','light'])C[n]=v.getPropertyValue('--'+n).trim()};look();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change',()=>{look();drawers.forEach(f=>f())});
const colour=(s,alpha)=>`hsla(${250-230*s},75%,${38+14*s+ +C.light}%,${alpha})`;
function canvas(to,w,h){const c=el('canvas',undefined,to),k=devicePixelRatio||1;c.width=w*k;c.height=h*k;c.style.width=w+'px';c.style.height=h+'px';const g=c.getContext('2d');g.scale(k,k);g.font='12px system-ui,sans-serif';return[c,g]}
function choice(to,text,list,value,on){el('label',text+' ',to);const s=el('select',undefined,to);list.forEach((n,i)=>{const o=el('option',n,s);o.value=i});s.value=value;s.onchange=()=>on(+s.value);return s}
function select(r){chosen=r;const b=document.getElementById('case');b.textContent='';if(r<0){b.textContent='Click on a case in a picture to see it.';return}
 el('b','Run '+D.rows[r][0],b);el('span',': '+names.map((n,i)=>n+' = '+label(i,D.rows[r][i+1])).join(', '),b);
 if(D.reasons[r])el('div','Failed: '+D.reasons[r],b);
 replay(r,b);
 const d=el('div','As a command: ',b);el('code',D.commands[r],d);const c=el('button','copy',d);c.onclick=()=>navigator.clipboard&&navigator.clipboard.writeText(D.commands[r]);drawers.forEach(f=>f())}
// the moving picture of a run: the page of a report in a frame
const whole=x=>{if(x===null||typeof x!=='object')return x;if(x.shared!==undefined)return R.shared[x.shared];if(Array.isArray(x))return x.map(whole);const y={};for(const k in x)y[k]=whole(x[k]);return y};
function replay(r,b){const old=document.getElementById('replay'),have=Object.keys(R.runs);old.hidden=true;old.removeAttribute('srcdoc');
 if(!have.length){if(R.note)el('div','No replays: '+R.note+'.',b);return}
 const show=k=>{const text=JSON.stringify(whole(R.runs[k])).replace(/</g,'\\u003c');old.srcdoc=R.frame.replace(R.mark,()=>text);old.hidden=false;old.dataset.run=k};
 if(R.runs[D.rows[r][0]]!==undefined)return show(D.rows[r][0]);
 // the nearest in all columns, each by its range
 const spans=names.map((n,i)=>range(col(i))),far=s=>names.reduce((sum,n,i)=>{const a=D.rows[r][i+1],c=D.rows[s][i+1];return sum+(a===null||c===null?1:((a-c)/(spans[i][1]-spans[i][0]))**2)},0);
 let best=-1,d=Infinity;D.rows.forEach((row,s)=>{if(R.runs[row[0]]===undefined)return;const k=far(s);if(k<d){d=k;best=s}});
 if(best>=0){const line=el('div','This page holds replays of '+have.length+' runs; the nearest is run '+D.rows[best][0]+' ',b);el('button','show it',line).onclick=()=>select(best)}}
const box=el('div');box.id='case';{const f=el('iframe');f.id='replay';f.hidden=true;f.title='The run in 3-D'}
el('h2','Measures');const tab=el('table');const head=el('tr',undefined,tab);['measure','runs','mean','deviation','min','5 %','median','95 %','max'].forEach(t=>el('th',t,head));
D.summary.forEach(s=>{const tr=el('tr',undefined,tab);[s.name,s.count,fmt(s.mean),fmt(s.dev),fmt(s.min),fmt(s.q[0]),fmt(s.q[1]),fmt(s.q[2]),fmt(s.max)].forEach(t=>el('td',t,tr))});
// parallel coordinates
{el('h2','Parallel coordinates');const bar=el('div');let by=nv;const W=1140,H=320,T=40,B=30;let at=[];
 choice(bar,'colour by',names,by,v=>{by=v;draw()});const[c,g]=canvas(app,W,H);const rs=names.map((n,i)=>range(col(i)));
 const X=i=>60+(W-120)*(names.length>1?i/(names.length-1):.5),Y=(i,v)=>H-B-(H-T-B)*(v-rs[i][0])/(rs[i][1]-rs[i][0]);
 function line(r,style,w){g.strokeStyle=style;g.lineWidth=w;g.beginPath();let pen=false;names.forEach((n,i)=>{const v=D.rows[r][i+1];if(v===null){pen=false;return}pen?g.lineTo(X(i),Y(i,v)):g.moveTo(X(i),Y(i,v));pen=true});g.stroke()}
 function draw(){g.clearRect(0,0,W,H);const a=Math.max(.04,Math.min(.6,60/D.rows.length));D.rows.forEach((row,r)=>{const v=row[by+1];line(r,v===null?`rgba(200,60,60,${a})`:colour((v-rs[by][0])/(rs[by][1]-rs[by][0]),a),1)});
  if(chosen>=0)line(chosen,C.mark,2.5);g.fillStyle=C.ink;names.forEach((n,i)=>{g.strokeStyle=C.axis;g.lineWidth=1;g.beginPath();g.moveTo(X(i),T);g.lineTo(X(i),H-B);g.stroke();g.textAlign='center';g.fillText(n,X(i),T-22);g.fillText(label(i,rs[i][1]),X(i),T-7);g.fillText(label(i,rs[i][0]),X(i),H-B+15)})}
 c.onclick=e=>{let best=-1,d=1e9;D.rows.forEach((row,r)=>{for(let i=0;i+1<names.length;i++){const p=row[i+1],q=row[i+2];if(p===null||q===null||e.offsetX<X(i)||e.offsetX>X(i+1))continue;const s=(e.offsetX-X(i))/(X(i+1)-X(i)),y=Y(i,p)*(1-s)+Y(i+1,q)*s,k=Math.abs(y-e.offsetY);if(k<d){d=k;best=r}}});if(d<12)select(best)};drawers.push(draw);draw()}
// series: bands of the runs over time, and the chosen run
if(S.names.length){el('h2','Over time: 5, 25, 50, 75 and 95 % of the runs');const bar=el('div');let i=0;const W=1140,H=340,L=70,B=40,T=16;choice(bar,'series',S.names,0,v=>{i=v;draw()});
 const[c,g]=canvas(app,W,H);const note=el('small');
 function draw(){g.clearRect(0,0,W,H);const q=S.q[i],own=chosen>=0?S.curves[D.rows[chosen][0]]:undefined,all=q.concat([S.mean[i]],own?[own[i+1]]:[]).flat(),ry=range(all),rx=range(S.t);
  const X=v=>L+(W-L-20)*(v-rx[0])/(rx[1]-rx[0]),Y=v=>H-B-(H-B-T)*(v-ry[0])/(ry[1]-ry[0]);
  const path=(t,v)=>{let pen=false;v.forEach((y,k)=>{if(y===null){pen=false;return}pen?g.lineTo(X(t[k]),Y(y)):g.moveTo(X(t[k]),Y(y));pen=true})};
  const band=(a,b,alpha)=>{g.globalAlpha=alpha;g.fillStyle=C.bar;g.beginPath();S.t.forEach((t,k)=>{if(a[k]!==null)k?g.lineTo(X(t),Y(a[k])):g.moveTo(X(t),Y(a[k]))});for(let k=S.t.length-1;k>=0;k--)if(b[k]!==null)g.lineTo(X(S.t[k]),Y(b[k]));g.closePath();g.fill();g.globalAlpha=1};
  band(q[0],q[4],.22);band(q[1],q[3],.3);
  const line=(t,v,style,w,dash)=>{g.strokeStyle=style;g.lineWidth=w;g.setLineDash(dash);g.beginPath();path(t,v);g.stroke();g.setLineDash([]);g.lineWidth=1};
  line(S.t,q[2],C.bar,2,[]);line(S.t,S.mean[i],C.faint,1,[5,4]);if(own)line(own[0],own[i+1],C.mark,2,[]);
  note.textContent=chosen<0?'Line: median; dashed: mean. A run that is chosen is drawn over them.':own?'Run '+D.rows[chosen][0]+' is drawn over the bands.':'This page has no series of run '+D.rows[chosen][0]+'.';
  g.strokeStyle=C.axis;g.strokeRect(L,T,W-L-20,H-B-T);g.fillStyle=C.ink;g.textAlign='left';g.fillText(fmt(rx[0]),L,H-B+15);g.textAlign='right';g.fillText(fmt(rx[1]),W-20,H-B+15);g.fillText(fmt(ry[0]),L-4,H-B);g.fillText(fmt(ry[1]),L-4,T+8);g.textAlign='center';g.fillText('t',(W+L)/2,H-8);g.save();g.translate(14,H/2);g.rotate(-Math.PI/2);g.fillText(S.names[i],0,0);g.restore()}
 drawers.push(draw);draw()}
// histograms
{el('h2','Histograms');const grid=el('div');grid.className='grid';names.forEach((n,i)=>{const[c,g]=canvas(grid,270,170),v=col(i).filter(x=>x!==null),[a,b]=range(v),N=Math.max(5,Math.min(40,Math.ceil(Math.sqrt(v.length)))),bins=new Array(N).fill(0);
 v.forEach(x=>bins[Math.min(N-1,Math.floor((x-a)/(b-a)*N))]++);const m=Math.max(1,...bins);
 function draw(){g.clearRect(0,0,270,170);g.fillStyle=i<nv?C.given:C.bar;bins.forEach((k,j)=>g.fillRect(10+250*j/N,145-110*k/m,250/N-1,110*k/m));g.fillStyle=C.ink;g.textAlign='center';g.fillText(n,135,16);g.textAlign='left';g.fillText(label(i,a),8,163);g.textAlign='right';g.fillText(label(i,b),262,163);
  if(chosen>=0&&D.rows[chosen][i+1]!==null){g.fillStyle=C.bad;g.fillRect(10+250*(D.rows[chosen][i+1]-a)/(b-a)-1,30,2,115)}}drawers.push(draw);draw()})}
// scatter, response surface, Pareto front
function plane(title,sx,sy,sc,kind){el('h2',title);const bar=el('div');let x=sx,y=sy,c0=sc,up=[false,false];const W=760,H=420,L=70,B=40;
 choice(bar,'across',names,x,v=>{x=v;draw()});choice(bar,'up',names,y,v=>{y=v;draw()});
 if(kind!=='pareto')choice(bar,'colour',kind==='scatter'?names.concat(['density of runs']):names,c0,v=>{c0=v;draw()});else['across','up'].forEach((t,i)=>choice(bar,t+' is to be',['small','large'],0,v=>{up[i]=v===1;draw()}));
 const[c,g]=canvas(app,W,H);const note=el('small');let P=[];
 function front(){const list=D.rows.map((r,i)=>[r[x+1],r[y+1],i]).filter(p=>p[0]!==null&&p[1]!==null).map(p=>[up[0]?-p[0]:p[0],up[1]?-p[1]:p[1],p[2]]).sort((a,b)=>a[0]-b[0]||a[1]-b[1]);let best=Infinity;const f=[];list.forEach(p=>{if(p[1]<best){best=p[1];f.push(p[2])}});return f}
 function surface(rx,ry){// least squares: 1, x, y, x^2, xy, y^2 in scaled variables
  const A=Array.from({length:6},()=>new Array(7).fill(0));let n=0,m=0,tot=0;const base=(u,v)=>[1,u,v,u*u,u*v,v*v];
  D.rows.forEach(r=>{const z=r[c0+1];if(z===null||r[x+1]===null||r[y+1]===null)return;n++;m+=z;const f=base((r[x+1]-rx[0])/(rx[1]-rx[0])*2-1,(r[y+1]-ry[0])/(ry[1]-ry[0])*2-1);for(let i=0;i<6;i++){for(let j=0;j<6;j++)A[i][j]+=f[i]*f[j];A[i][6]+=f[i]*z}});
  if(n<6)return null;m/=n;for(let i=0;i<6;i++)A[i][i]*=1+1e-12;for(let i=0;i<6;i++){let p=i;for(let k=i+1;k<6;k++)if(Math.abs(A[k][i])>Math.abs(A[p][i]))p=k;[A[i],A[p]]=[A[p],A[i]];if(Math.abs(A[i][i])<1e-9*n)return null;for(let k=0;k<6;k++)if(k!==i){const q=A[k][i]/A[i][i];for(let j=i;j<7;j++)A[k][j]-=q*A[i][j]}}
  const w=A.map((r,i)=>r[6]/r[i]),at=(u,v)=>base(u,v).reduce((s,f,i)=>s+f*w[i],0);let res=0;D.rows.forEach(r=>{const z=r[c0+1];if(z===null||r[x+1]===null||r[y+1]===null)return;res+=(z-at((r[x+1]-rx[0])/(rx[1]-rx[0])*2-1,(r[y+1]-ry[0])/(ry[1]-ry[0])*2-1))**2;tot+=(z-m)**2});note.textContent=tot>0?'Quadratic fit: it explains '+(100*(1-res/tot)).toFixed(1)+' % of the variance.':'';return at}
 function draw(){g.clearRect(0,0,W,H);const rx=range(col(x)),ry=range(col(y)),byDensity=c0===names.length,rc=byDensity?[0,1]:range(col(c0)),X=v=>L+(W-L-20)*(v-rx[0])/(rx[1]-rx[0]),Y=v=>H-B-(H-B-20)*(v-ry[0])/(ry[1]-ry[0]);
  if(kind==='surface'){const at=surface(rx,ry);if(!at)note.textContent='The chosen columns do not determine a surface.';else{const S=6;for(let i=L;i<W-20;i+=S)for(let j=20;j<H-B;j+=S){const z=at((i+S/2-L)/(W-L-20)*2-1,1-(j+S/2-20)/(H-B-20)*2);g.fillStyle=colour(Math.max(0,Math.min(1,(z-rc[0])/(rc[1]-rc[0]))),.55);g.fillRect(i,j,S,S)}}}
  P=[];const cells=new Map();D.rows.forEach((r,i)=>{const a=r[x+1],b=r[y+1];if(a===null||b===null)return;const px=X(a),py=Y(b);P.push([px,py,i]);const key=(px>>3)+','+(py>>3);cells.set(key,(cells.get(key)||0)+1)});
  const near=p=>{let n=0;for(let a=-1;a<2;a++)for(let b=-1;b<2;b++)n+=cells.get(((p[0]>>3)+a)+','+((p[1]>>3)+b))||0;return n},most=byDensity?Math.log(Math.max(2,...P.map(near))):1;
  P.forEach(p=>{const z=byDensity?Math.log(near(p))/most:D.rows[p[2]][c0+1],dense=cells.get((p[0]>>3)+','+(p[1]>>3));g.fillStyle=kind==='pareto'?'rgba(120,140,165,.45)':z===null?C.bad:colour((z-rc[0])/(rc[1]-rc[0]),byDensity?.9:Math.max(.15,Math.min(.9,2.5/Math.sqrt(dense))));g.beginPath();g.arc(p[0],p[1],kind==='surface'?2:3,0,7);g.fill()});
  if(kind==='pareto'){const f=front();note.textContent=f.length+' of these runs are on the front: no other is better in both.';g.strokeStyle=g.fillStyle=C.front;g.beginPath();f.forEach((r,i)=>{const a=X(D.rows[r][x+1]),b=Y(D.rows[r][y+1]);i?g.lineTo(a,b):g.moveTo(a,b)});g.stroke();f.forEach(r=>{g.beginPath();g.arc(X(D.rows[r][x+1]),Y(D.rows[r][y+1]),4,0,7);g.fill()})}
  if(chosen>=0&&D.rows[chosen][x+1]!==null&&D.rows[chosen][y+1]!==null){g.strokeStyle=C.mark;g.lineWidth=2;g.beginPath();g.arc(X(D.rows[chosen][x+1]),Y(D.rows[chosen][y+1]),7,0,7);g.stroke();g.lineWidth=1}
  g.strokeStyle=C.axis;g.strokeRect(L,20,W-L-20,H-B-20);g.fillStyle=C.ink;g.textAlign='left';g.fillText(label(x,rx[0]),L,H-B+15);g.textAlign='right';g.fillText(label(x,rx[1]),W-20,H-B+15);g.fillText(label(y,ry[0]),L-4,H-B);g.fillText(label(y,ry[1]),L-4,28);g.textAlign='center';g.fillText(names[x],(W+L)/2,H-8);g.save();g.translate(14,H/2);g.rotate(-Math.PI/2);g.fillText(names[y],0,0);g.restore()}
 c.onclick=e=>{let best=-1,d=15;P.forEach(p=>{const k=Math.hypot(p[0]-e.offsetX,p[1]-e.offsetY);if(k<d){d=k;best=p[2]}});if(best>=0)select(best)};drawers.push(draw);draw()}
plane('Scatter',0,nv,nv,'scatter');
// tornado
{const what=D.sampling==='saltelli'?"Sobol's total index":D.sampling==='morris'?'mean size of the elementary effects':'correlation of ranks';el('h2','Influence of the variables: '+what);const bar=el('div');let m=0;const H=30+24*nv,W=760;choice(bar,'measure',D.measures,0,v=>{m=v;draw()});const[c,g]=canvas(app,W,H);
 function draw(){g.clearRect(0,0,W,H);const f=D.summary[m].influence.map((v,i)=>[i,v===null?0:v]).sort((a,b)=>Math.abs(b[1])-Math.abs(a[1])),top=D.sampling==='morris'?Math.max(1e-300,...f.map(p=>Math.abs(p[1]))):1,zero=D.sampling==='saltelli'||D.sampling==='morris'?160:440,span=D.sampling==='saltelli'||D.sampling==='morris'?520:250;
  f.forEach(([i,v],k)=>{g.fillStyle=v<0?C.minus:C.bar;const w=span*Math.min(1.2,Math.abs(v)/top);g.fillRect(v<0?zero-w:zero,12+24*k,w,18);g.fillStyle=C.ink;g.textAlign='left';g.fillText(D.variables[i],8,26+24*k);g.textAlign=v<0?'right':'left';g.fillText(fmt(v),v<0?zero-w-5:zero+w+5,26+24*k)});g.strokeStyle=C.axis;g.beginPath();g.moveTo(zero,6);g.lineTo(zero,H-6);g.stroke()}drawers.push(draw);draw()}
if(nv>=2)plane('Response surface',0,1,nv,'surface');
if(nm>=2)plane('Pareto front',nv,nv+1,nv,'pareto');
select(-1);
)js";

}  // namespace kane
