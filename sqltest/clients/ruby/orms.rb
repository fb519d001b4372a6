# Ruby: pg, Sequel and ActiveRecord. Prints "label: value" lines.
require 'pg'; require 'sequel'; require 'active_record'
def show(l) r=begin; yield; rescue Exception=>e; "error #{e.class} #{e.message[0,300]}"; end; puts "#{l}: #{r.inspect}".gsub("\n",'\n'); end
dsn=ARGV[0]; c=PG.connect(dsn); c.exec("set client_min_messages=error; drop schema if exists rb cascade; create schema rb; drop table if exists ar_posts, ar_users, schema_migrations, ar_internal_metadata, sq_t cascade")
c.type_map_for_results=PG::BasicTypeMapForResults.new(c)
show('types'){c.exec("select 1::int4,2::int8,true,1.5::float8,'x'::text,'{1,2}'::int[],date '2020-01-01', 1.5::numeric,'{\"a\":1}'::json").values}
show('params'){c.exec_params('select $1::int+1,$2::text',[1,'x']).values}
show('prep'){c.prepare('p','select $1::int');c.exec_prepared('p',[3]).values}
show('desc'){r=c.describe_prepared('p');[r.nparams,r.paramtype(0),r.fields]}
show('copy'){c.exec('create table rb.t(a int,b text)');c.copy_data('copy rb.t from stdin'){c.put_copy_data("1\tx\n")};x=[];c.copy_data('copy rb.t to stdout'){while l=c.get_copy_data;x<<l;end};x}
show('err'){begin;c.exec('select nope');rescue PG::Error=>e;[e.class,e.result.error_field(PG::Result::PG_DIAG_SQLSTATE)];end}
show('single'){c.send_query('select generate_series(1,3)');c.set_single_row_mode;n=0;while r=c.get_result;n+=r.ntuples;end;n}
show('tx'){c.transaction{|t|t.exec("insert into rb.t values(2,'y')").cmd_tuples}}
show('notify'){c.exec('listen rx');c.exec("notify rx,'p'");c.wait_for_notify(1){|ch,_,p|return_v=[ch,p]}}
db=Sequel.connect(dsn); db.extension :pg_json,:pg_array
show('sq create'){db.create_table(:sq_t){primary_key :id;String :name,size:20,null:false,unique:true;column :j,:jsonb;column :a,'int[]';DateTime :at,default:Sequel::CURRENT_TIMESTAMP;index :j,type: :gin;foreign_key :p,:sq_t}}
show('sq ins'){db[:sq_t].insert(name:'a',j:Sequel.pg_jsonb({x:1}),a:Sequel.pg_array([1,2]))}
show('sq all'){db[:sq_t].select(:id,:name,:j,:a).all}
show('sq schema'){db.schema(:sq_t).map{|n,h|[n,h[:db_type],h[:type],h[:primary_key],h[:allow_null],h[:default],h[:ruby_default],h[:max_length]]}}
show('sq idx'){db.indexes(:sq_t)}
show('sq fk'){db.foreign_key_list(:sq_t)}
show('sq tables'){db.tables.include?(:sq_t)}
show('sq upsert'){db[:sq_t].insert_conflict(target: :name,update:{a:nil}).insert(name:'a')}
show('sq ret'){db[:sq_t].returning(:id).update(name:'b')}
show('sq cursor'){db[:sq_t].use_cursor.count}
show('sq pk'){[db.primary_key(:sq_t),db.primary_key_sequence(:sq_t)]}
show('sq checks'){db.check_constraints(:sq_t)}
show('sq copy'){db.copy_table(:sq_t,format: :csv).class}
show('sq views'){db.create_or_replace_view(:sq_v,db[:sq_t].select(:id));r=db.views.include?(:sq_v);db.drop_view(:sq_v);r}
ActiveRecord::Base.establish_connection(dsn); AR=ActiveRecord::Base.connection; ActiveRecord::Migration.verbose=false
show('ar ver'){AR.database_version/10000}
show('ar create'){ActiveRecord::Schema.define{create_table(:ar_users,force: :cascade,comment:'us'){|t|t.string :name,limit:30,null:false,default:'q',index:{unique:true};t.jsonb :j,default:{};t.integer :tags,array:true,default:[];t.decimal :d,precision:8,scale:2;t.uuid :u,default:'gen_random_uuid()';t.virtual :up,type: :string,as:'upper(name)',stored:true;t.timestamps;t.check_constraint 'd > 0',name:'dpos'};create_table(:ar_posts){|t|t.references :ar_user,foreign_key:{on_delete: :cascade};t.text :body;t.index 'lower(body)',name:'lb';t.daterange :dr;t.inet :ip;t.interval :iv}};1}
class ArUser<ActiveRecord::Base;has_many :ar_posts;end; class ArPost<ActiveRecord::Base;belongs_to :ar_user;end
show('ar ins'){u=ArUser.create!(name:'a',j:{x:1},tags:[1,2],d:1.5);u.ar_posts.create!(body:'Hi',iv:3.days,ip:'10.0.0.1');[u.id,u.reload.up,u.tags,u.j]}
show('ar where'){ArUser.where("j->>'x' = ?",'1').where(d:1..2).joins(:ar_posts).count}
show('ar cols'){ArUser.columns.map{|x|[x.name,x.sql_type,x.null,x.default,x.default_function,x.comment]}}
show('ar idx'){AR.indexes(:ar_users).map{|i|[i.name,i.columns,i.unique,i.using]}}
show('ar idx2'){AR.indexes(:ar_posts).map{|i|[i.name,i.columns]}}
show('ar fk'){AR.foreign_keys(:ar_posts).map{|f|[f.from_table,f.to_table,f.column,f.on_delete]}}
show('ar pk'){AR.primary_key(:ar_users)}
show('ar seq'){AR.pk_and_sequence_for(:ar_users).map(&:to_s)}
show('ar chk'){AR.check_constraints(:ar_users).map{|x|[x.name,x.expression]}}
show('ar uniq'){begin;ArUser.create!(name:'a');rescue ActiveRecord::RecordNotUnique=>e;'notunique';end}
show('ar upsert'){ArUser.upsert_all([{name:'a',d:5},{name:'b',d:6}],unique_by: :name).length}
show('ar tx'){ArUser.transaction{ArUser.create!(name:'z');ArUser.transaction(requires_new:true){ArUser.create!(name:'y');raise ActiveRecord::Rollback};};ArUser.pluck(:name).sort}
show('ar lock'){ArUser.transaction{ArUser.lock.first.name}}
show('ar batches'){n=0;ArUser.in_batches(of:1){n+=1};n}
show('ar alter'){AR.add_column(:ar_users,:q,:integer,default:3);AR.change_column(:ar_users,:q,:bigint);AR.change_column_null(:ar_users,:q,false);AR.rename_column(:ar_users,:q,:qq);AR.add_index(:ar_users,:qq,algorithm: :concurrently);AR.remove_index(:ar_users,:qq);AR.remove_column(:ar_users,:qq);AR.rename_table(:ar_posts,:ar_p2);AR.rename_table(:ar_p2,:ar_posts);1}; require 'stringio'
show('ar dump'){s=StringIO.new;(ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection_pool,s) rescue ActiveRecord::SchemaDumper.dump(AR,s));(s.string.scan(/create_table "sq_t".*?^  end\n/m)+s.string.lines.grep(/add_foreign_key "sq_/)).join}
show('ar explain'){ArUser.where(id:1).explain.inspect.include?('QUERY PLAN')}
show('ar tables'){AR.tables.grep(/ar_/).sort}
show('ar views'){AR.views.size>=0}
show('ar ext'){AR.extensions.include?('plpgsql')}
show('ar adv'){[AR.get_advisory_lock(5),AR.release_advisory_lock(5)]}
show('ar trunc'){AR.truncate_tables('ar_posts');ArPost.count}
show('ar search'){AR.schema_search_path}
show('ar schemas'){AR.schema_names.include?('rb')}
show('ar ctype'){[AR.encoding,AR.current_schema]}
